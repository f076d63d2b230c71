#include "manager/api/explain/forecast.hpp"

#include <algorithm>
#include <map>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/explain/cause_words.hpp"
#include "manager/core/time_limits.hpp"
#include "policies/maintenance/by_windows.hpp"
#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostDecisions = 200;
constexpr std::size_t kMostWork = 20'000;  // decisions times jobs and nodes
constexpr std::size_t kMostNamed = 8;

// When a job is known to end: once it has been served so much, by its estimate or its time limit; or at its
// wall-clock limit, which passes while it is paused, too.
struct KnownEnd {
  std::optional<VirtualTime> total{};
  bool estimate = false;  // what `total` is; false: its time limit
  Instant latest = kNever;
};

// The simulated future: a copy of the view that advances in time.
class Future {
 public:
  Future(const CoreState& state, const Policy& policy)
      : policy_(policy), records_(state.records), view_(state.view), wake_at_(state.wake_at) {
    view_.index.drop();
    for (auto& [id, job] : view_.jobs) {
      job.in_flight = false;  // actions in progress are assumed to have ended
      if (job.phase == Phase::running) job.progress.set_rate(view_.now, job.yield);
      const JobRecord& record = records_.at(id);
      const std::optional<Duration>& limit = record.submission->time_limit;
      const std::optional<Duration>& estimate = job.demand.estimate;
      const VirtualTime served = job.progress.at(view_.now);
      KnownEnd end{.latest = wall_limit_at(record)};
      if (estimate && *estimate * kFullYield > served)
        end.total = *estimate * kFullYield, end.estimate = true;
      else if (limit && *limit * kFullYield > served)
        end.total = *limit * kFullYield;
      if (end.total || end.latest != kNever) ends_[id] = end;
    }
  }

  [[nodiscard]] const ClusterView& view() const { return view_; }
  [[nodiscard]] const Job* job(JobId id) const {
    const auto found = view_.jobs.find(id);
    return found == view_.jobs.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const std::vector<JobId>& ended() const { return ended_; }
  [[nodiscard]] bool only_limits() const { return only_limits_; }
  [[nodiscard]] std::size_t size() const { return view_.jobs.size() + view_.nodes.size() + 1; }
  // Running jobs without a known end, in increasing id.
  [[nodiscard]] std::vector<JobId> endless() const {
    std::vector<JobId> all;
    for (const auto& [id, job] : view_.jobs)
      if (job.phase == Phase::running && !ends_.contains(id)) all.push_back(id);
    return all;
  }

  // Advances to the next instant at which something is known to happen, and decides; false: there is none.
  bool go_on() {
    Instant next = kNever;
    for (const auto& [id, job] : view_.jobs) next = std::min(next, end_of(job));
    if (view_.next_tick) next = std::min(next, *view_.next_tick);
    if (wake_at_) next = std::min(next, *wake_at_);
    if (next == kNever) return false;
    view_.now = std::max(next, view_.now);
    view_.cause = {};
    take_ends();
    take_timers();
    decide();
    return true;
  }

 private:
  // At its present speed; kNever: not known.
  [[nodiscard]] Instant end_of(const Job& job) const {
    const auto known = ends_.find(job.id);
    if (known == ends_.end()) return kNever;
    const auto& [total, estimate, latest] = known->second;
    return job.phase == Phase::running && total ? std::min(latest, job.progress.reaches(*total)) : latest;
  }
  void take_ends() {
    const std::size_t before = ended_.size();
    for (const auto& [id, job] : view_.jobs) {
      if (end_of(job) > view_.now) continue;
      ended_.push_back(id);
      const KnownEnd& end = ends_.at(id);
      only_limits_ = only_limits_ && (!end.estimate || end.latest <= view_.now);
      view_.cause.completed = true;
    }
    for (std::size_t k = before; k < ended_.size(); ++k) view_.jobs.erase(ended_[k]);
  }
  void take_timers() {
    if (wake_at_ && *wake_at_ <= view_.now) view_.cause.woken = true;
    const auto period = policy_.period();
    if (view_.next_tick && *view_.next_tick <= view_.now) {
      view_.cause.tick = true;
      if (period)
        view_.next_tick =
            *view_.next_tick + *period * ((view_.now - *view_.next_tick).raw / period->raw + 1);
      else
        view_.next_tick.reset();
    }
  }
  void decide() {
    const Plan plan = policy_.decide(view_);
    for (const Change& change : plan.changes) {
      Job& job = view_.jobs.at(change.job);
      const bool restarts =
          !change.placement.empty() && job.phase != Phase::waiting && job.placement != change.placement;
      if (change.placement.empty() && job.phase == Phase::running) {
        job.phase = Phase::paused;
        job.phase_since = view_.now;
        if (any_keeps_saves(view_.nodes, job.placement)) job.tied_to = job.placement;
      } else if (!change.placement.empty() && job.phase != Phase::running) {
        if (job.phase == Phase::waiting) begin(job.id);
        job.phase = Phase::running;
        job.phase_since = view_.now;
      }
      job.placement = change.placement;
      if (!job.placement.empty()) job.tied_to.clear();
      if (!job.placement.empty() && !has_one_kind(view_)) job.bound = bound_kind(view_, job);
      job.devices = change.devices;
      job.yield = change.placement.empty() ? Yield{} : change.yield;
      job.progress.set_rate(view_.now, job.yield);
      if (restarts) job.progress.stall(view_.now, view_.costs.restart);
    }
    view_.memory = plan.memory;
    wake_at_ = plan.wake_at;
  }
  // Its wall-clock limit counts from now on, if it has not run before.
  void begin(JobId id) {
    const JobRecord& record = records_.at(id);
    if (!record.started && record.submission->wall_limit)
      ends_[id].latest = view_.now + *record.submission->wall_limit;
  }

  const Policy& policy_;
  const IdTable<JobId, JobRecord>& records_;
  ClusterView view_;
  std::optional<Instant> wake_at_;
  std::map<JobId, KnownEnd> ends_;
  std::vector<JobId> ended_;
  bool only_limits_ = true;
};

std::vector<JobId> first_of(const std::vector<JobId>& jobs) {
  return {jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(std::min(jobs.size(), kMostNamed))};
}

JobForecast reached(const Future& future, const std::string& event, Instant now) {
  JobForecast found{event, future.view().now, "", "", first_of(future.ended())};
  const Duration left = *found.at - now;
  const std::string when = left.raw > 0 ? "in " + wire::about(left) : "at once";
  if (future.ended().empty()) {
    found.basis = "next_decision";
    found.text = "expected " + when + ", at a decision that is due then, as things stand now";
    return found;
  }
  const bool limits = future.only_limits();
  const bool one = future.ended().size() == 1;
  found.basis = limits ? "time_limits" : "estimates";
  found.text = (limits ? "at the latest " : "expected ") + when + ", when " + jobs_words(future.ended()) +
               (one ? " has" : " have") + " ended by " + (one ? "its " : "their ") +
               (limits ? "limit" : "estimate") + (one ? "" : "s") +
               ", if nothing else arrives and nothing fails";
  return found;
}

JobForecast not_reached(const Future& future, const std::string& event) {
  JobForecast found{event, std::nullopt, "ends_unknown", "", first_of(future.endless())};
  const auto endless = future.endless();
  found.text = "no instant can be named: ";
  if (endless.empty())
    found.text += "so far as can be reckoned, nothing that is known beforehand makes room for it";
  else
    found.text += "neither an estimate nor a limit says when " + jobs_words(endless) +
                  (endless.size() == 1 ? " ends" : " end");
  return found;
}

// For a job at full yield: its own end.
JobForecast own_end(const CoreState& state, const Job& job) {
  const JobRecord& record = state.records.at(job.id);
  const auto& limit = record.submission->time_limit;
  JobForecast found{"end", std::nullopt, "ends_unknown", "", {}};
  const VirtualTime served = job.progress.at(state.view.now);
  for (const auto& [total, basis, words] :
       {std::tuple(job.demand.predicted, "predictions", "by what jobs of its kind took"),
        std::tuple(job.demand.estimate, "estimates", "by its estimate"),
        std::tuple(limit, "time_limits", "at the latest, by its time limit")}) {
    if (!total || *total * kFullYield <= served) continue;
    const Instant at = job.progress.reaches(*total * kFullYield);
    if (at == kNever) continue;
    found.at = at;
    found.basis = basis;
    found.text = "its end is expected in " + wire::about(at - state.view.now) + ", " + words;
    found.rests_on = {job.id};
    break;
  }
  const Instant wall = wall_limit_at(record);
  if (wall != kNever && (!found.at || wall < *found.at))
    return {"end",
            wall,
            "time_limits",
            "its end is expected in " + wire::about(wall - state.view.now) +
                ", at the latest, by its wall-clock limit",
            {job.id}};
  if (found.at) return found;
  found.text = "it has all it needs; when it ends, neither an estimate nor a limit says";
  return found;
}

// Forecasts that need no simulation.
std::optional<JobForecast> forecast_by_reason(const CoreState& state, const std::string& event,
                                              Reason reason) {
  if (reason == Reason::node_silent)
    return JobForecast{
        event, std::nullopt, "node_silent", "not before its node answers, or is confirmed down", {}};
  if (reason == Reason::held)
    return JobForecast{event, std::nullopt, "held", "not before it is released", {}};
  if (reason == Reason::deferred)
    return JobForecast{event, std::nullopt, "deferred", "not before what it waits for has come", {}};
  if (reason == Reason::account_limit)
    return JobForecast{
        event, std::nullopt, "account_limit", "not before it fits below the limits of its account", {}};
  if (reason == Reason::array_throttle)
    return JobForecast{event, std::nullopt, "array", "not before its members have ended", {}};
  if (state.mode != Mode::automatic)
    return JobForecast{event, std::nullopt, "mode", "not before the manager's mode is auto", {}};
  if (reason == Reason::never_fits)
    return JobForecast{event, std::nullopt, "never", "not on these nodes", {}};
  if (reason == Reason::other_policy)
    return JobForecast{event, std::nullopt, "never", "not under this policy", {}};
  return std::nullopt;
}

// When the first of the nodes that it is kept off is put back into service.
Instant first_back(const ClusterView& view, const Policy& policy, const Job& job) {
  Instant back = kNever;
  for (const NodeClosing& closing : view.closings)
    if (kept_off_by(view, job, closing.node, policy)) back = std::min(back, closing.to.value_or(kNever));
  return back;
}

JobForecast after_maintenance(const std::string& event, Instant back, Instant now) {
  return {event,
          back,
          "maintenance",
          "expected in " + wire::about(back - now) +
              ", when the maintenance of the first of its nodes is over, unless others go first",
          {}};
}

}  // namespace

JobForecast forecast(const CoreState& state, const Policy& policy, JobId id, Reason reason) {
  const Job& job = state.view.jobs.at(id);
  const bool full = job.phase == Phase::running && job.yield == kFullYield;
  if (full && reason != Reason::node_silent) return own_end(state, job);
  const std::string event = job.phase == Phase::running   ? "full_yield"
                            : job.phase == Phase::waiting ? "start"
                                                          : "resume";
  if (auto forecast_now = forecast_by_reason(state, event, reason)) return *forecast_now;
  const Instant back = reason == Reason::maintenance ? first_back(state.view, policy, job) : kNever;
  Future future(state, policy);
  std::size_t work = 0;
  for (std::size_t n = 0; n < kMostDecisions && work < kMostWork; ++n, work += future.size()) {
    if (!future.go_on() || future.view().now > back) break;
    const Job* then = future.job(id);
    if (then == nullptr) return reached(future, "end", state.view.now);  // at its present speed
    const bool there = event == "full_yield" ? then->yield == kFullYield : then->phase == Phase::running;
    if (there) return reached(future, event, state.view.now);
  }
  return back < kNever ? after_maintenance(event, back, state.view.now) : not_reached(future, event);
}

}  // namespace aliquot
