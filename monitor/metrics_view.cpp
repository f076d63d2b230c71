// The part of the metrics that is read off the whole cluster.
#include <algorithm>
#include <array>
#include <utility>

#include "monitor/codec_words.hpp"
#include "monitor/metrics_state.hpp"
#include "monitor/outcome.hpp"

namespace aliquot {
namespace {

// What a job is doing, as one of these; their sum is all jobs that have not ended.
constexpr std::array<const char*, 6> kJobStates{"waiting", "held",   "in_flight",
                                                "running", "paused", "unreachable"};

// A node of its placement does not answer.
bool is_unreachable(const ClusterView& view, const Job& job) {
  return std::ranges::any_of(job.placement, [&](const Share& share) {
    return share.node.raw < view.nodes.size() && !view.nodes[share.node.raw].answers();
  });
}

std::size_t state_of(const ClusterView& view, const Job& job) {
  if (is_unreachable(view, job)) return 5;
  if (job.in_flight) return 2;
  if (job.phase == Phase::running) return 3;
  if (job.held) return 1;
  return job.phase == Phase::waiting ? 0 : 4;
}

// These reasons do not apply to jobs that do not run.
bool of_a_running_job(std::string_view reason) {
  return reason == word(Reason::running_at_full_yield) || reason == word(Reason::sharing_cpu) ||
         reason == word(Reason::node_silent);
}

}  // namespace

void Metrics::refresh(const ClusterView& view, Instant now) {
  state_->refreshed = now;
  state_->read_jobs(view, now);
  state_->read_shares(view, now);
  state_->read_bound(view);
  state_->read_upkeep(now);
}

void Metrics::keep_fresh(const ClusterView& view, Instant now) {
  const auto many = seconds(static_cast<std::int64_t>(view.jobs.size() / kJobsASecond));
  if (state_->refreshed && now - *state_->refreshed < std::max(kRefreshEvery, many)) return;
  refresh(view, now);
}

void Metrics::State::read_jobs(const ClusterView& view, Instant now) {
  const auto reason_words = words<Reason>();
  std::array<std::int64_t, kJobStates.size()> states{};
  std::vector<std::int64_t> reasons(reason_words.size());
  std::int64_t running = 0, sum = 0, least = kMillion;
  std::vector<JobId> waiting;
  Duration longest_wait;
  double worst_stretch = 1;
  for (const auto& [id, job] : view.jobs) {
    ++states[state_of(view, job)];
    if (job.phase == Phase::running || !job.held)  // else it is not the scheduler that it waits for
      worst_stretch =
          std::max(worst_stretch, bounded_stretch_so_far(now - job.submitted, job.progress.at(now)));
    if (job.phase != Phase::running && !job.held)
      longest_wait = std::max(longest_wait, now - job.phase_since);
    if (job.phase == Phase::running) {
      ++running;
      sum += job.yield.raw;
      least = std::min(least, job.yield.raw);
    } else {
      waiting.push_back(id);
    }
  }
  if (options.explain)
    wait_reasons.look_at(waiting, view.jobs.size() + view.nodes.size(),
                         [&](JobId id) { return options.explain(view, id); });
  for (const auto& [id, reason] : wait_reasons.said()) ++reasons[static_cast<std::size_t>(reason)];
  const auto unexplained = static_cast<std::int64_t>(waiting.size() - wait_reasons.said().size());
  const auto set = [&](Metric metric, const char* label, std::string_view value, std::int64_t count) {
    families.gauge(metric, {{label, std::string(value)}}).Set(static_cast<double>(count));
  };
  for (std::size_t i = 0; i < states.size(); ++i) set(Metric::jobs, "state", kJobStates[i], states[i]);
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (!of_a_running_job(reason_words[i]))
      set(Metric::pending_jobs, "reason", reason_words[i], reasons[i]);
  }
  set(Metric::pending_jobs, "reason", "unexplained", unexplained);
  const auto million = static_cast<double>(kMillion);
  const double mean = running == 0 ? 1 : static_cast<double>(sum) / static_cast<double>(running) / million;
  families.gauge(Metric::yield_min).Set(static_cast<double>(least) / million);
  families.gauge(Metric::yield_avg).Set(mean);
  families.gauge(Metric::longest_wait).Set(to_seconds(longest_wait));
  families.gauge(Metric::stretch_so_far_max).Set(worst_stretch);
}

// What nodes and accounts have, by the plan in force and by the caps that are.
void Metrics::State::read_shares(const ClusterView& view, Instant now) {
  std::vector<NodeReading> on(view.nodes.size());
  for (const auto& [id, job] : view.jobs) {
    AccountReading& account = accounts.reading(account_of(id).value_or(""), now);
    const DeclaredNeeds declared =
        options.declared ? options.declared(id) : DeclaredNeeds{job.demand.need, job.demand.memory};
    const Memory lent = declared.memory - job.demand.memory;
    ++(job.phase == Phase::running ? account.running : account.pending);
    if (job.phase == Phase::running || !job.held) {
      account.needed += job.demand.need * job.demand.tasks;
      account.declared += declared.cpu * job.demand.tasks;
    }
    if (options.draw && !job.placement.empty()) account.draw += options.draw(id);
    for (const Share& share : job.placement) {
      const Cpu given = job.demand.need * job.yield * share.units;
      account.promised += given;
      account.lent += lent * share.units;
      if (share.node.raw >= on.size()) continue;
      on[share.node.raw].promised += given;
      on[share.node.raw].memory += job.demand.memory * share.units;
      on[share.node.raw].lent += lent * share.units;
    }
  }
  for (const VmCap& cap : options.caps ? options.caps() : std::vector<VmCap>{}) {
    if (const auto whose = account_of(cap.job)) {
      AccountReading& account = accounts.reading(*whose, now);
      account.granted += cap.granted;
      account.own += cap.own;
    }
    if (cap.node.raw >= on.size()) continue;
    ++on[cap.node.raw].vms;
    on[cap.node.raw].granted += cap.granted;
    on[cap.node.raw].own += cap.own;
  }
  for (const VmMemory& vm : memory) {
    if (const auto whose = account_of(vm.job)) accounts.reading(*whose, now).guests.add(vm.memory);
    if (vm.node.raw < on.size()) on[vm.node.raw].guests.add(vm.memory);
  }
  accounts.tell(now);
  nodes.tell(view.nodes, on, now);
}

void Metrics::State::read_upkeep(Instant now) {
  if (!options.upkeep) return;
  const UpkeepGauges upkeep = options.upkeep();
  const bool is_planned = upkeep.next_window && options.unix_time;
  families.gauge(Metric::maintenance_next_start)
      .Set(is_planned ? options.unix_time() + to_seconds(*upkeep.next_window - now) : 0);
  families.gauge(Metric::maintenance_nodes).Set(upkeep.nodes_in_windows);
  families.gauge(Metric::moves_waiting, {{"cause", "budget"}}).Set(upkeep.over_budget);
  families.gauge(Metric::moves_waiting, {{"cause", "cool_down"}}).Set(upkeep.cooling_down);
}

// Milliseconds of work where shapes are many: only when something else is asked, and not to the last digit.
void Metrics::State::read_bound(const ClusterView& view) {
  auto& bound = families.gauge(Metric::yield_bound);
  PlacedTasks now = placed_tasks(view);
  if (now == placed && placed.jobs > 0) return;
  placed = std::move(now);
  bound.Set(static_cast<double>(yield_bound(placed, kDecisionEffort).bound.raw) / kMillion);
}

}  // namespace aliquot
