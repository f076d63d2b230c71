#include "monitor/metrics.hpp"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "monitor/codec_words.hpp"
#include "monitor/metrics_state.hpp"
#include "monitor/outcome.hpp"
#include "monitor/process_metrics.hpp"

namespace aliquot {
namespace {

std::string text_of(std::string_view view) { return std::string(view); }

// What a decision was taken for. An operator's word counts before an event, an event before a timer.
std::string trigger_of(const std::vector<Event>& events) {
  const auto any = [&](auto pick) { return std::ranges::any_of(events, pick); };
  if (any([](const Event& e) {
        return std::holds_alternative<PolicyChanged>(e) || std::holds_alternative<ModeChanged>(e);
      })) {
    return "operator";
  }
  const bool event = any([](const Event& e) {
    return !std::holds_alternative<Tick>(e) && !std::holds_alternative<Woken>(e) &&
           !std::holds_alternative<TimerExpired>(e);
  });
  return event ? "event" : "timer";
}

std::string result_of(const Decision& decision) {
  if (!decision.violations.empty()) return "rejected";
  if (!decision.adopted) return "advised";
  return decision.plan.changes.empty() ? "no_change" : "applied";
}

bool is_carried_out(Turn turn) {
  return turn == Turn::start || turn == Turn::resume || turn == Turn::pause || turn == Turn::move ||
         turn == Turn::cap;
}

Cpu cpu_of(Cpu need, const Standing& standing) {
  Cpu all;
  for (const Share& share : standing.placement) all += need * standing.yield * share.units;
  return standing.phase == Phase::running ? all : Cpu{};
}

}  // namespace

Metrics::Metrics(MetricsOptions options) : state_(std::make_unique<State>(std::move(options))) {
  state_->open_series();
}

// Series that alerts compare exist from the start, at 0.
void Metrics::State::open_series() {
  families
      .gauge(Metric::build_info,
             {{"version", options.version}, {"revision", options.revision}, {"libvirt", options.libvirt}})
      .Set(1);
  families.counter(Metric::jobs_submitted);
  for (const auto result : words<JobResult>())
    families.counter(Metric::jobs_finished, {{"result", text_of(result)}});
  for (const auto* size : {"one", "small", "medium", "large"}) {
    families.histogram(Metric::job_stretch, {{"size_class", size}});
  }
  for (const auto* source : {"learned", "user"})
    families.histogram(Metric::job_run_time_error, {{"source", source}});
  for (std::size_t i = 0; i < std::variant_size_v<Action>; ++i) {
    const std::string action(word(static_cast<ActionKind>(i)));
    for (const auto* result : {"ok", "failed", "timeout"}) {
      families.counter(Metric::plan_actions, {{"action", action}, {"result", result}});
    }
    families.histogram(Metric::action_duration, {{"action", action}});
    families.gauge(Metric::failing_jobs, {{"action", action}});
  }
  for (const auto* kind : {"moved_back", "paused_again"})
    families.counter(Metric::oscillations, {{"kind", kind}});
  for (const auto act : words<ForeignAct>().subspan(1))
    families.counter(Metric::foreign_changes, {{"change", std::string(act)}});
  families.histogram(Metric::store_commit);
  families.gauge(Metric::store_blocked);
  families.histogram(Metric::migration_downtime);
  families.histogram(Metric::checkpoint_pause);
  for (const auto* action : {"suspend", "release"})
    families.histogram(Metric::job_skew, {{"action", action}});
  families.counter(Metric::checkpoint_restores);
  for (const auto* cause : {"gone", "slow"}) families.counter(Metric::rpc_dropped, {{"cause", cause}});
  for (const auto* origin : {"local", "remote"}) families.counter(Metric::rpc_origin, {{"origin", origin}});
  for (const auto* cause : {"key", "rate"}) families.counter(Metric::rpc_refused, {{"cause", cause}});
  families.counter(Metric::audit_lost);
  families.gauge(Metric::last_reload_successful).Set(1);
  families.gauge(Metric::state_violations).Set(0);
}

Metrics::~Metrics() = default;

void Metrics::on_step(const Step& step, const ClusterView& after) {
  for (const Event& event : step.events) state_->count_event(event, step.now);
  if (step.decision) {
    state_->count_decision(step);
    state_->count_gain(step, after);
  }
  for (const Action& action : step.actions) state_->count_action(action, step.now);
  for (const JobOutcome& outcome : step.ended) state_->count_end(outcome);
  const Instant now = std::max(step.now, after.now);
  after.jobs.size() <= kSmallCluster ? refresh(after, now) : keep_fresh(after, now);
}

void Metrics::State::count_event(const Event& event, Instant now) {
  if (std::holds_alternative<Submitted>(event)) {
    families.counter(Metric::jobs_submitted).Increment();
  } else if (const auto* outcome = std::get_if<Outcome>(&event)) {
    count_outcome(*outcome, now);
  } else if (const auto* configured = std::get_if<Configured>(&event)) {
    nodes.configured(configured->nodes);
  } else if (const auto* foreign = std::get_if<ForeignMove>(&event)) {
    families.counter(Metric::foreign_changes, {{"change", std::string(word(foreign->act))}}).Increment();
  }
}

void Metrics::State::count_action(const Action& action, Instant now) {
  const std::uint32_t count = head(action).tasks.count;
  flights[head(action).op] = {kind(action), count, false, {}, count > 1, {}};
  const auto* restore = std::get_if<Restore>(&action);
  if (restore != nullptr && restore->checkpoint > 0)
    families.counter(Metric::checkpoint_restores).Increment(restore->tasks.count);
  const auto [moved_back, paused_again] = oscillations.take(action, now);
  families.counter(Metric::oscillations, {{"kind", "moved_back"}}).Increment(moved_back);
  families.counter(Metric::oscillations, {{"kind", "paused_again"}}).Increment(paused_again);
}

// Outcomes of actions of an earlier life of the manager are unknown here and not counted.
void Metrics::State::count_outcome(const Outcome& outcome, Instant now) {
  const auto flight = flights.find(outcome.op);
  if (flight == flights.end()) return;
  const std::string action(word(flight->second.kind));
  const bool late = outcome.error && outcome.error->kind == ErrorKind::timeout;
  const std::string result = !outcome.error ? "ok" : late ? "timeout" : "failed";
  families.counter(Metric::plan_actions, {{"action", action}, {"result", result}})
      .Increment(outcome.tasks.count);
  families.histogram(Metric::action_duration, {{"action", action}}).Observe(to_seconds(outcome.took));
  flight->second.failed = flight->second.failed || outcome.error;
  flight->second.stall = std::max(flight->second.stall, outcome.stall);
  if (!flight->second.first_done) flight->second.first_done = now;
  if (flight->second.tasks <= outcome.tasks.count) {
    count_whole(outcome.job, flight->second, now);
    flights.erase(flight);
  } else {
    flight->second.tasks -= outcome.tasks.count;
  }
}

// The last task of an action has been heard of.
void Metrics::State::count_whole(JobId job, const Flight& flight, Instant now) {
  count_streak(job, flight);
  if (flight.failed) return;
  if (flight.kind == ActionKind::checkpoint)
    families.histogram(Metric::checkpoint_pause).Observe(to_seconds(flight.stall));
  if (flight.of_several && (flight.kind == ActionKind::suspend || flight.kind == ActionKind::release))
    families.histogram(Metric::job_skew, {{"action", text_of(word(flight.kind))}})
        .Observe(to_seconds(now - *flight.first_done));
}

void Metrics::State::count_streak(JobId job, const Flight& flight) {
  if (flight.failed)
    ++failed_in_a_row[{job, flight.kind}];
  else if (failed_in_a_row.erase({job, flight.kind}) == 0)
    return;
  tell_failing(flight.kind);
}

void Metrics::State::tell_failing(ActionKind kind) {
  const auto count = std::ranges::count_if(failed_in_a_row, [kind](const auto& entry) {
    return entry.first.second == kind && entry.second >= 3;
  });
  families.gauge(Metric::failing_jobs, {{"action", text_of(word(kind))}}).Set(static_cast<double>(count));
}

void Metrics::State::count_decision(const Step& step) {
  const Decision& decision = *step.decision;
  const MetricFamilies::Labels policy_label{{"policy", decision.policy}};
  families
      .histogram(Metric::reschedule_duration,
                 {{"policy", decision.policy}, {"trigger", trigger_of(step.events)}})
      .Observe(static_cast<double>(decision.nanoseconds) / 1e9);
  families
      .counter(Metric::reschedule_passes, {{"policy", decision.policy}, {"result", result_of(decision)}})
      .Increment();
  if (decision.violations.empty() && decision.policy == policy && options.unix_time) {
    families.gauge(Metric::reschedule_last_success, policy_label).Set(options.unix_time());
  }
}

// What the decision changed is in the chronicle of its step, for jobs that have not ended since.
void Metrics::State::count_gain(const Step& step, const ClusterView& after) {
  std::int64_t given = 0, taken = 0;
  for (const ChronicleEntry& entry : step.chronicle) {
    const auto job = entry.job ? after.jobs.find(*entry.job) : after.jobs.end();
    if (entry.decision != step.number || !is_carried_out(entry.turn) || job == after.jobs.end()) continue;
    const Cpu need = job->second.demand.need;
    const std::int64_t gain = cpu_of(need, entry.after).raw - cpu_of(need, entry.before).raw;
    (gain > 0 ? given : taken) += std::abs(gain);
  }
  const MetricFamilies::Labels policy_label{{"policy", step.decision->policy}};
  families.counter(Metric::plan_given, policy_label).Increment(in_cores({given}));
  families.counter(Metric::plan_taken, policy_label).Increment(in_cores({taken}));
  prometheus::Histogram& gain = families.histogram(Metric::plan_gain, policy_label);
  if (given + taken > 0) gain.Observe(static_cast<double>(given) / static_cast<double>(given + taken));
}

void Metrics::State::count_end(const JobOutcome& outcome) {
  families.counter(Metric::jobs_finished, {{"result", text_of(word(outcome.result))}}).Increment();
  if (!outcome.submission->array) {  // its members have been served, and count
    families.histogram(Metric::job_stretch, {{"size_class", size_class(outcome.submission->demand.tasks)}})
        .Observe(service_of(outcome).bounded_stretch);
    count_run_time(outcome);
  }
  oscillations.end(outcome.job);
  for (auto at = failed_in_a_row.lower_bound({outcome.job, ActionKind::destroy});
       at != failed_in_a_row.end() && at->first.first == outcome.job;) {
    const ActionKind kind = at->first.second;
    at = failed_in_a_row.erase(at);
    tell_failing(kind);
  }
}

// Of a job that ran to its end.
void Metrics::State::count_run_time(const JobOutcome& outcome) {
  if (outcome.result != JobResult::completed || !outcome.started) return;
  const Submission& job = *outcome.submission;
  const double run_time = outcome.virtual_time.to_seconds();
  const auto count = [&](const char* source, const std::optional<Duration>& expected) {
    if (!expected || expected->raw <= 0) return;
    families.histogram(Metric::job_run_time_error, {{"source", source}})
        .Observe(run_time / to_seconds(*expected));
  };
  count("learned", job.demand.predicted);
  count("user", job.demand.estimate ? job.demand.estimate : job.time_limit);
}

void Metrics::vm_used(const std::vector<UsageIncrease>& increases, const ClusterView& view) {
  for (const UsageIncrease& increase : increases) {
    if (increase.node.raw < view.nodes.size()) state_->nodes.used(view.nodes[increase.node.raw], increase);
    if (const auto account = state_->account_of(increase.job))
      state_->accounts.used(*account, increase.more, state_->refreshed.value_or(view.now));
  }
}

void Metrics::memory_told(std::vector<VmMemory> of_vms) { state_->memory = std::move(of_vms); }

void Metrics::show_accounts(const std::vector<AccountGauges>& all) { state_->account_gauges.tell(all); }

void Metrics::request_answered(const std::string& method, const std::string& code, Duration took) {
  state_->families.counter(Metric::rpc_requests, {{"method", method}, {"code", code}}).Increment();
  state_->families.histogram(Metric::rpc_duration, {{"method", method}}).Observe(to_seconds(took));
}

void Metrics::libvirt_called(const std::string& node, const std::string& call, Duration took,
                             const std::string& error) {
  state_->nodes.called(node, took, !error.empty());
  state_->families.histogram(Metric::libvirt_duration, {{"call", call}}).Observe(to_seconds(took));
  if (!error.empty())
    state_->families.counter(Metric::libvirt_failures, {{"call", call}, {"error", error}}).Increment();
}

void Metrics::migrated(Duration downtime) {
  state_->families.histogram(Metric::migration_downtime).Observe(to_seconds(downtime));
}

void Metrics::policy_in_force(const std::string& name, std::optional<Duration> period) {
  MetricFamilies& families = state_->families;
  if (name != state_->policy) {
    families.remove(Metric::reschedule_last_success, {{"policy", state_->policy}});
    families.remove(Metric::reschedule_period, {{"policy", state_->policy}});
    state_->policy = name;
  }
  if (period) families.gauge(Metric::reschedule_period, {{"policy", name}}).Set(to_seconds(*period));
}

void Metrics::mode_in_force(Mode mode) {
  for (const auto text : words<Mode>()) {
    state_->families.gauge(Metric::mode, {{"mode", text_of(text)}}).Set(text == word(mode) ? 1 : 0);
  }
}

void Metrics::epoch(std::uint64_t number) {
  state_->families.gauge(Metric::epoch).Set(static_cast<double>(number));
}

void Metrics::step_stored(Duration took) {
  state_->families.histogram(Metric::store_commit).Observe(to_seconds(took));
}

void Metrics::spool(Memory free, Memory reserve, Memory ended) {
  state_->families.gauge(Metric::spool_free).Set(static_cast<double>(free.raw));
  state_->families.gauge(Metric::spool_reserve).Set(static_cast<double>(reserve.raw));
  state_->families.gauge(Metric::spool_ended).Set(static_cast<double>(ended.raw));
}

void Metrics::images(std::size_t count, Memory size) {
  state_->families.gauge(Metric::images).Set(static_cast<double>(count));
  state_->families.gauge(Metric::image_bytes).Set(static_cast<double>(size.raw));
}

void Metrics::store_size(std::uintmax_t bytes) {
  state_->families.gauge(Metric::store_size).Set(static_cast<double>(bytes));
}

void Metrics::store_blocked(bool blocked) {
  state_->families.gauge(Metric::store_blocked).Set(blocked ? 1 : 0);
}

void Metrics::held_by_other_cluster(const std::string& node, bool held) {
  state_->nodes.held_by_other(node, held);
}

void Metrics::messages_refused(const std::string& node, std::uint64_t count) {
  state_->nodes.messages_refused(node, count);
}

void Metrics::epochs_refused(const std::string& node, std::uint64_t count) {
  state_->nodes.epochs_refused(node, count);
}

void Metrics::energy(const std::string& node, double joules) { state_->nodes.energy(node, joules); }

void Metrics::orphans(const std::string& node, std::size_t count) { state_->nodes.orphans(node, count); }

void Metrics::clock_offset(Duration offset) {
  state_->families.gauge(Metric::clock_offset).Set(to_seconds(offset));
}

void Metrics::request_from(const char* origin) {
  state_->families.counter(Metric::rpc_origin, {{"origin", origin}}).Increment();
}

void Metrics::replies_dropped(std::uint64_t gone, std::uint64_t slow) {
  state_->rise_to(Metric::rpc_dropped, "gone", gone);
  state_->rise_to(Metric::rpc_dropped, "slow", slow);
}

void Metrics::remote_refused(std::uint64_t handshakes, std::uint64_t too_many) {
  state_->rise_to(Metric::rpc_refused, "key", handshakes);
  state_->rise_to(Metric::rpc_refused, "rate", too_many);
}

void Metrics::audit_lost(std::uint64_t records) {
  auto& series = state_->families.counter(Metric::audit_lost);
  series.Increment(static_cast<double>(records) - series.Value());
}

void Metrics::reloaded(bool accepted) {
  state_->families.gauge(Metric::last_reload_successful).Set(accepted ? 1 : 0);
}

void Metrics::state_violations(std::size_t count) {
  state_->families.gauge(Metric::state_violations).Set(static_cast<double>(count));
}

std::string Metrics::text() const {
  auto collected = state_->families.collect();
  for (auto& family : process_metrics()) collected.push_back(std::move(family));
  std::ostringstream out;
  prometheus::TextSerializer{}.Serialize(out, collected);
  return out.str();
}

}  // namespace aliquot
