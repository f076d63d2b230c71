#include "policies/batch/whole_nodes.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "policies/batch/queue.hpp"

namespace aliquot {
namespace {

using Nodes = std::span<const NodeId>;

struct Reservation {
  Instant at;            // kNever: unknown
  std::size_t idle = 0;  // how many of the idle nodes it keeps
};

// From the lowest number up.
std::vector<NodeId> idle_nodes(const ClusterView& view) {
  std::vector<NodeId> idle;
  idle.reserve(view.index.idle_count());
  for (std::uint32_t n = 0; idle.size() < view.index.idle_count(); ++n)
    if (view.index.load({n}).tasks == 0 && view.nodes[n].usable()) idle.push_back({n});
  return idle;
}

class Counting {
 public:
  Counting(const ClusterView& view, EstimateFrom from)
      : view_(view),
        from_(from),
        sample_(*std::ranges::find_if(view.nodes, &Node::usable)),
        idle_(idle_nodes(view)),
        free_(idle_),
        next_(view.index.waiting().begin()) {}

  // Starts jobs from the front of the queue, up to the first that could start but does not fit now.
  void start_in_order() {
    for (; next_ != view_.index.waiting().end(); ++next_) {
      if (!could_start(*next_)) continue;
      if (next_->tasks > free_.size()) return;
      start(*next_, free_, free_);
    }
  }

  // Jobs behind that one start if they do not delay it.
  void backfill() {
    const std::span queue(next_, view_.index.waiting().end());
    const auto fits = [&](const WaitingJob& job) { return job.tasks <= free_.size(); };
    if (queue.empty() || std::ranges::none_of(queue.subspan(1), fits)) return;
    const Reservation reservation = reserve(queue.front().tasks);
    Nodes reserved = free_.first(reservation.idle);
    free_ = free_.subspan(reservation.idle);
    for (const WaitingJob& job : queue.subspan(1)) {
      const bool ends_before = reservation.at != kNever && span(job) <= reservation.at - view_.now;
      const std::size_t room = free_.size() + (ends_before ? reserved.size() : 0);
      if (job.tasks > room || !could_start(job)) continue;
      // Reserved nodes first: jobs that end later cannot use them.
      start(job, ends_before ? reserved : free_, free_);
    }
  }

  [[nodiscard]] Plan take_plan() {
    std::ranges::sort(plan_.changes, {}, &Change::job);
    return std::move(plan_);
  }

 private:
  // On the nodes that are up, if all were idle.
  [[nodiscard]] bool could_start(const WaitingJob& job) const {
    return job.tasks <= view_.index.usable_count() && suits(sample_, view_.jobs.at(job.id).demand);
  }

  // How long it is expected to run. The index has what its user says.
  [[nodiscard]] Duration span(const WaitingJob& job) const {
    if (from_ == EstimateFrom::user) return job.span;
    const auto& predicted = view_.jobs.at(job.id).demand.predicted;
    return predicted ? std::max(*predicted, Duration{1}) : job.span;
  }

  // On the nodes of `first`, then of `second`.
  void start(const WaitingJob& job, Nodes& first, Nodes& second) {
    Placement placement;
    placement.reserve(job.tasks);
    for (Nodes* const nodes : {&first, &second}) {
      const std::size_t some = std::min(nodes->size(), job.tasks - placement.size());
      for (const NodeId node : nodes->first(some)) placement.push_back({node, 1});
      *nodes = nodes->subspan(some);
    }
    std::ranges::sort(placement);
    plan_.changes.push_back({job.id, std::move(placement), kFullYield});
  }

  // From the ends of running jobs and of jobs that this plan starts, with their numbers of nodes.
  [[nodiscard]] Reservation reserve(std::uint32_t tasks) const {
    using End = std::pair<Instant, std::size_t>;
    std::vector<End> ends;
    const auto is_up = [&](const Share& share) { return view_.nodes[share.node.raw].usable(); };
    const bool all_up = view_.index.usable_count() == view_.nodes.size();
    const auto add = [&](const Job& job, const Placement& placement) {
      const auto nodes =
          all_up ? placement.size() : static_cast<std::size_t>(std::ranges::count_if(placement, is_up));
      ends.emplace_back(estimated_end(view_, job, kFullYield, from_), nodes);
    };
    ends.reserve(view_.index.placed().size() + plan_.changes.size());
    for (const JobId id : view_.index.placed()) add(view_.jobs.at(id), view_.jobs.at(id).placement);
    for (const Change& change : plan_.changes) add(view_.jobs.at(change.job), change.placement);
    std::ranges::sort(ends);
    std::size_t freed = 0;
    Instant at = view_.now;
    auto end = ends.begin();
    for (; end != ends.end() && free_.size() + freed < tasks; ++end) {
      at = end->first;
      freed += end->second;
    }
    if (at == kNever) return {kNever, std::min<std::size_t>(free_.size(), tasks)};
    for (; end != ends.end() && end->first == at; ++end) freed += end->second;
    return {at, tasks > freed ? tasks - freed : 0};
  }

  const ClusterView& view_;
  const EstimateFrom from_;
  const Node& sample_;  // a node that is up; they are all alike
  const std::vector<NodeId> idle_;
  Nodes free_;  // of these: not taken, nor reserved for the first job that waits
  std::vector<WaitingJob>::const_iterator next_;
  Plan plan_;
};

}  // namespace

// No node is shared and no job is paused: every running job has yield 1, and no waiting job has made any
// progress.
bool countable(const ClusterView& view) {
  const ViewIndex& index = view.index;
  return index.kept() && index.uniform() && index.all_served() && !index.any_shared() &&
         !index.any_paused() && index.usable_count() > 0;
}

Plan decide_by_counting(const ClusterView& view, bool backfills, EstimateFrom from) {
  const auto fits = [&](const WaitingJob& job) { return job.tasks <= view.index.idle_count(); };
  if (std::ranges::none_of(view.index.waiting(), fits)) return {};  // most of the time
  Counting counting(view, from);
  counting.start_in_order();
  if (backfills) counting.backfill();
  return counting.take_plan();
}

}  // namespace aliquot
