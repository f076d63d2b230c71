#include "policies/batch/whole_nodes.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "policies/batch/queue.hpp"

namespace aliquot {
namespace {

using Position = std::uint32_t;
constexpr Position kNone = SubmissionOrder::kNone;

// A node that is up; they are all alike. There is at least one.
const Node& sample(const ClusterView& view) {
  return *std::find_if(view.nodes.begin(), view.nodes.end(),
                       [](const Node& node) { return node.usable(); });
}

// Could it start on the nodes that are up if all were idle?
bool could_start(const ClusterView& view, const Node& node, const Demand& demand) {
  return demand.tasks <= view.index.usable_count() && suits(node, demand);
}

void start(const Job& job, IdleNodes& first, IdleNodes* second, Plan& plan) {
  Change& change = plan.changes.emplace_back(Change{job.id, {}, kFullYield});
  change.placement.reserve(job.demand.tasks);
  const std::uint32_t here = std::min(first.count(), job.demand.tasks);
  first.take(here, change.placement);
  if (!second || here == job.demand.tasks) return;
  second->take(job.demand.tasks - here, change.placement);
  std::sort(change.placement.begin(), change.placement.end());
}

// When a job that stands will end, as its estimate tells.
Instant expected_end(const ClusterView& view, const Job& job) {
  if (!job.demand.estimate) return kNever;
  const VirtualTime work = *job.demand.estimate * kFullYield;
  // At full speed it stays so: seen from where it last changed, with one product less.
  const Progress& progress = job.progress;
  if (progress.rate == kFullYield) {
    const Instant end = progress.reaches(work);
    return std::max(end, view.now + Duration{1});
  }
  const VirtualTime left = work - progress.at(view.now);
  if (left.raw <= 0) return view.now + Duration{1};
  return std::max(view.now, job.progress.stalled_until) + time_for(left, kFullYield);
}

struct Reservation {
  Instant at;              // kNever: unknown
  std::uint32_t idle = 0;  // how many of the idle nodes it keeps
};

// From the ends of running jobs and of jobs that this plan starts, with their numbers of nodes.
Reservation reserve(const ClusterView& view, std::uint32_t tasks, std::uint32_t idle, const Plan& plan) {
  using End = std::pair<Instant, std::uint32_t>;
  std::vector<End> ends;
  ends.reserve(view.index.placed().size() + plan.changes.size());
  const bool all_up = view.index.usable_count() == view.nodes.size();
  const auto is_up = [&](const Share& share) { return view.nodes[share.node.raw].usable(); };
  const auto add = [&](const Job& job, const Placement& placement) {
    const auto nodes = all_up ? placement.size() : std::ranges::count_if(placement, is_up);
    ends.emplace_back(expected_end(view, job), static_cast<std::uint32_t>(nodes));
  };
  for (const JobId id : view.index.placed()) {
    const Job& job = view.jobs.at(id);
    add(job, job.placement);
  }
  for (const Change& change : plan.changes) add(view.jobs.at(change.job), change.placement);
  // Few of them are needed in their order: a heap gives the earliest, then the next.
  std::ranges::make_heap(ends, std::greater<>());
  const auto pop = [&ends] {
    std::ranges::pop_heap(ends, std::greater<>());
    const End earliest = ends.back();
    ends.pop_back();
    return earliest;
  };
  std::uint32_t freed = 0;
  Instant at = view.now;
  while (!ends.empty() && idle + freed < tasks) {
    const auto [end, nodes] = pop();
    at = end;
    freed += nodes;
  }
  if (at == kNever) return {kNever, std::min(idle, tasks)};
  while (!ends.empty() && ends.front().first == at) freed += pop().second;
  return {at, tasks > freed ? tasks - freed : 0};
}

}  // namespace

void IdleNodes::take(std::uint32_t tasks, Placement& placement) {
  if (index_) words_ = std::exchange(index_, nullptr)->idle();
  count_ -= tasks;
  for (; tasks > 0; --tasks) {
    while (words_[lowest_] == 0) ++lowest_;
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(words_[lowest_]));
    words_[lowest_] &= words_[lowest_] - 1;
    placement.push_back({{static_cast<std::uint32_t>(lowest_) * 64 + bit}, 1});
  }
}

IdleNodes IdleNodes::split(std::uint32_t tasks) {
  if (index_) words_ = std::exchange(index_, nullptr)->idle();
  IdleNodes part(words_.size());
  part.count_ = tasks;
  count_ -= tasks;
  for (; tasks > 0; --tasks) {
    while (words_[lowest_] == 0) ++lowest_;
    const std::uint64_t rest = words_[lowest_] & (words_[lowest_] - 1);
    part.words_[lowest_] |= words_[lowest_] ^ rest;
    words_[lowest_] = rest;
  }
  return part;
}

// No node is shared and no job is paused: every running job has yield 1, and no waiting job has made any
// progress.
bool countable(const ClusterView& view) {
  const ViewIndex& index = view.index;
  return index.kept() && index.uniform() && index.all_served() && !index.any_shared() &&
         !index.any_paused() && index.usable_count() > 0;
}

std::uint32_t start_in_order(const ClusterView& view, IdleNodes& idle, Plan& plan) {
  const Node& node = sample(view);
  const SubmissionOrder& order = view.index.order();
  const SubmissionOrder::Limits any_job{kNone - 1, 0, {}};
  for (Position at = order.first(); at != kNone; at = order.next(at + 1, any_job)) {
    const Job& job = view.jobs.at(order.at(at));
    if (!could_start(view, node, job.demand)) continue;
    if (job.demand.tasks > idle.count()) return at;
    start(job, idle, nullptr, plan);
  }
  return kNone;
}

void backfill(const ClusterView& view, std::uint32_t head, IdleNodes& idle, Plan& plan) {
  const SubmissionOrder& order = view.index.order();
  if (order.next(head + 1, {idle.count(), 0, {}}) == kNone) return;
  const Node& node = sample(view);
  const Reservation reservation = reserve(view, order.width(head), idle.count(), plan);
  IdleNodes reserved = idle.split(reservation.idle);
  const bool known = reservation.at != kNever;
  const Duration window = known ? reservation.at - view.now : Duration{-1};
  Position at = head;
  for (;;) {
    const std::uint32_t all = idle.count() + reserved.count();
    if (all == 0) return;
    at = order.next(at + 1, {idle.count(), all, window});
    if (at == kNone) return;
    const Job& job = view.jobs.at(order.at(at));
    if (!could_start(view, node, job.demand)) continue;
    // Reserved nodes first: jobs that end later cannot use them.
    if (known && order.span(at) <= window)
      start(job, reserved, &idle, plan);
    else
      start(job, idle, nullptr, plan);
  }
}

void sort_changes(Plan& plan) {
  std::sort(plan.changes.begin(), plan.changes.end(),
            [](const Change& a, const Change& b) { return a.job < b.job; });
}

}  // namespace aliquot
