#include "tools/sim/simulation.hpp"

#include <algorithm>

#include "manager/core/account_yields.hpp"
#include "manager/core/need_transitions.hpp"

namespace aliquot {
namespace {

// A policy may be asked this often in vain while nothing happens on the cluster. Where nodes fail and are
// repaired, this often for each node, because the policy may be waiting for one of them.
constexpr std::uint64_t kIdleDecisions = 1000;
// More rounds than this at one instant are an endless loop.
constexpr std::uint32_t kMostRounds = 100'000;
constexpr Duration kAskAgain = seconds(10);
// Simulated time ends here, long before an Instant overflows: 127,000 years.
constexpr Instant kEndOfTime{INT64_MAX / 2 / 1'000'000 * 1'000'000};

// The average cost of a resume and of a migration for a job of this workload: the time of the action, and
// the penalty after it.
ActionCosts mean_costs(const Workload& workload, const ModelOptions& model) {
  const bool asks = std::ranges::any_of(model.bandwidth, [](std::int64_t rate) { return rate > 0; });
  Int128 sum = 0;
  if (asks)  // what memory there is to be carried
    for (const WorkloadJob& job : workload.jobs) sum += job.submission.demand.memory.raw;
  const auto count = static_cast<Int128>(std::max<std::size_t>(workload.jobs.size(), 1));
  const Memory mean{static_cast<std::int64_t>(sum / count)};
  const Duration resume = model.stall_after(ActionKind::release) +
                          model.time_of(ActionKind::restore, mean) + model.time_of(ActionKind::release, {});
  const Duration move = model.stall_after(ActionKind::migrate) + model.time_of(ActionKind::migrate, mean);
  return {resume, move == resume ? std::nullopt : std::optional(move)};
}

Cluster new_cluster(const Workload& workload, const ClusterShape& shape, const ModelOptions& model) {
  CoreState state;
  state.view.nodes = shape.make_nodes();
  state.view.device_models = shape.device_models();
  state.view.costs = mean_costs(workload, model);
  return Cluster(std::move(state));
}

}  // namespace

Simulation::Simulation(const Workload& workload, const ClusterShape& shape, ModelOptions model,
                       std::unique_ptr<Policy> policy, Observer& observer, Scheduler::Stopwatch stopwatch,
                       EarlyJobs* early)
    : workload_(workload),
      scheduler_(new_cluster(workload, shape, model), std::move(policy), std::move(stopwatch)),
      repairs_(model.mtbf.raw > 0),
      checkpoint_(model.checkpoint),
      network_(model.network),
      hypervisor_(shape.make_nodes(), std::move(model)),
      observer_(observer),
      early_(early),
      jobs_(workload.jobs) {
  if (scheduler_.policy().reads_predictions()) learner_ = &own_learner_.emplace();
}

bool Simulation::has_next() {
  if (submitted_ == jobs_.size() && early_) {
    const EarlyJobs::Known known = early_->wait_for_more(submitted_);
    if (known.all) early_ = nullptr;
    jobs_ = known.jobs;
  }
  return submitted_ < jobs_.size();
}

Result<void> Simulation::run() {
  for (;;) {
    const bool all_in = !has_next();
    if (all_in && scheduler_.cluster().state().records.empty()) return {};
    const Instant now = watch_until(next_instant());
    if (now == kNever) return tl::unexpected(never_ends("nothing is going to happen any more"));
    if (now > kEndOfTime) return tl::unexpected(never_ends("time ends before they do"));
    if (auto lived = live_through(now); !lived) return lived;
    const bool is_maintained = !scheduler_.cluster().state().windows.empty();  // until it is over
    const bool happens = !all_in || is_maintained || hypervisor_.busy() || (power_ && power_->busy());
    if (happens) idle_decisions_ = 0;
    const std::uint64_t most = kIdleDecisions * (repairs_ ? scheduler_.cluster().view().nodes.size() : 1);
    if (++idle_decisions_ > most) {
      return tl::unexpected(
          never_ends("the policy was asked " + std::to_string(most) + " times in vain while nothing ran"));
    }
  }
}

Instant Simulation::next_instant() {
  Instant next = std::min({hypervisor_.next(), scheduler_.next_due(), ask_again_});
  if (power_) next = std::min(next, power_->next_due());
  if (has_next()) next = std::min(next, jobs_[submitted_].submitted);
  return next;
}

// Where nothing is going to happen any more, weights change nothing.
Instant Simulation::watch_until(Instant next) {
  while (need_changes_.empty()) {
    const Instant needs_due = needs_ ? needs_->next_due() : kNever;
    const Instant weights_due = fair_share_ && next < kNever ? fair_share_->next_due() : kNever;
    if (std::min(needs_due, weights_due) >= next) return next;
    watched_until_ = std::min(needs_due, weights_due);
    if (needs_due == watched_until_) needs_->observe(watched_until_, scheduler_.cluster(), need_changes_);
    if (weights_due == watched_until_)
      fair_share_->observe(watched_until_, scheduler_.cluster(), need_changes_);
  }
  return watched_until_;
}

void Simulation::set_needs(NeedSource source) {
  if (source == NeedSource::declared) return;
  Cpu largest;
  for (const Node& node : scheduler_.cluster().view().nodes) largest = std::max(largest, node.capacity);
  needs_.emplace(source, largest);
}

void Simulation::set_accounts(std::vector<AccountTerms> accounts) {
  accounts_ = std::move(accounts);
  set_terms(AccountsChanged{accounts_});
}

void Simulation::weigh(const WorkloadJob& job, Instant now, Submission& submission) {
  submission.uid = job.submission.user;
  submission.demand.weight =
      fair_share_->weight_of({submission.account, submission.uid}, scheduler_.cluster(), now);
}

void Simulation::submit_due(Instant now, std::vector<Event>& events) {
  bool molded = false;  // the others of this instant come in the next rounds
  for (; !molded && has_next() && jobs_[submitted_].submitted <= now; ++submitted_) {
    const WorkloadJob& job = jobs_[submitted_];
    Submission submission = workload_.submission(job);
    submission.checkpoint = checkpoint_;
    if (const auto its = workload_.true_needs.find(job.id); its != workload_.true_needs.end()) {
      hypervisor_.set_true_needs(job.id, its->second);
      if (needs_ && needs_->source() == NeedSource::oracle)
        submission.demand.need = its->second.front().need;
    }
    if (molder_) {
      molder_(job, scheduler_.cluster().view(), submission);
      molded = true;
    }
    if (learner_)
      submission.demand.predicted =
          prediction::expected_run_time(learner_->on_submitted(job.id, workload_.traits(job)));
    if (!accounts_.empty()) submission.uid = job.submission.user;
    if (fair_share_) weigh(job, now, submission);
    if (network_ && submission.demand.tasks > 1) submission.network = any_network();
    events.emplace_back(Submitted{job.id, std::move(submission)});
  }
}

Result<void> Simulation::live_through(Instant now) {
  std::vector<Event>& events = events_;
  if (!terms_.empty()) round(now, terms_);
  hypervisor_.take_due(now, events);
  if (power_) power_->take_due(now, events);
  submit_due(now, events);
  if (needs_) needs_->observe(now, scheduler_.cluster(), need_changes_);
  if (fair_share_) fair_share_->observe(now, scheduler_.cluster(), need_changes_);
  std::ranges::move(std::exchange(need_changes_, {}), std::back_inserter(events));
  bool asked = false;
  for (std::uint32_t rounds = 0; rounds < kMostRounds; ++rounds) {
    round(now, events);
    hypervisor_.take_due(now, events);
    std::ranges::move(std::exchange(powered_, {}), std::back_inserter(events));
    std::ranges::move(std::exchange(need_changes_, {}), std::back_inserter(events));
    std::ranges::move(std::exchange(meddled_, {}), std::back_inserter(events));
    if (molder_) submit_due(now, events);
    if (!events.empty() || scheduler_.next_due() <= now) continue;
    std::vector<VmQuery> unclear = scheduler_.cluster().unclear();
    if (unclear.empty() || asked) {
      ask_again_ = unclear.empty() ? kNever : now + kAskAgain;
      return {};
    }
    asked = true;
    hypervisor_.inspect(std::move(unclear));
    hypervisor_.take_due(now, events);
  }
  return tl::unexpected(never_ends("the instant " + to_text(now - Instant{}) + " s never comes to rest"));
}

void Simulation::round(Instant now, std::vector<Event>& events) {
  if (power_) power_->before_step(scheduler_.cluster().view(), events);
  Step step = scheduler_.round(now, std::move(events));
  std::optional<Death> death = killer_ ? killer_(step, scheduler_.cluster()) : std::nullopt;
  if (!death || death->on_disk) follow_needs(step.events);
  if (!death || death->on_disk) follow_steps(step.events);
  if (!death || death->carried_out) perform(step.actions);
  if (!death || death->on_disk) {
    for (const JobOutcome& outcome : step.ended) hypervisor_.forget(outcome.job);
    if (learner_) learn(step);
    observer_.on_step(step, scheduler_.cluster().view());
    observer_.on_durable(step);
    if (fair_share_) {
      fair_share_->count_ended(step);
      fair_share_->follow(scheduler_.cluster(), now);
    }
    if (needs_) needs_->after_step(now, step, scheduler_.cluster(), hypervisor_, need_changes_);
    if (power_) power_->after_step(step, scheduler_.cluster().view(), powered_);
    if (meddler_) meddled_ = meddler_(step, scheduler_.cluster());
  }
  events = std::move(step.events);
  events.clear();
  scheduler_.reuse(std::move(step.actions));
  if (death) go_on_after(std::move(*death));
}

void Simulation::learn(const Step& step) {
  for (const JobOutcome& outcome : step.ended) {
    const bool whole = outcome.result == JobResult::completed && outcome.started;
    learner_->on_ended(outcome.job,
                       whole ? std::optional(time_for(outcome.virtual_time, kFullYield)) : std::nullopt);
  }
}

// The share of a need that a VM has is another share of another need. So is what a program needs that needs
// what its job says. Each change is followed, as each is rounded.
void Simulation::follow_needs(const std::vector<Event>& events) {
  const auto follow = [this](JobId job, const JobRecord& record, const Submission& then) {
    hypervisor_.change_need(job, then.demand.need);
    hypervisor_.change_need(job, record.submission->demand.need);
  };
  const auto record_of = [this](JobId job) { return scheduler_.cluster().record(job); };
  for (const Event& event : events) {
    if (const auto* changed = std::get_if<NeedChanged>(&event))
      if (const JobRecord* record = record_of(changed->job))
        follow(changed->job, *record, with_declared_need_within(record->submission, changed->need));
    if (const auto* learned = std::get_if<NeedLearned>(&event))
      if (const JobRecord* record = record_of(learned->job);
          record && can_use(record->submission, learned->need))
        follow(learned->job, *record, with_learned_need_within(record->submission, learned->need));
  }
}

// A program is slower while it has fewer tasks than its profile says.
void Simulation::follow_steps(const std::vector<Event>& events) {
  for (const Event& event : events) {
    const auto* changed = std::get_if<TasksChanged>(&event);
    const JobRecord* record = changed ? scheduler_.cluster().record(changed->job) : nullptr;
    if (record)
      hypervisor_.change_step(changed->job, record->evolution.by_profile ? wanted_tasks(*record) : 0);
  }
}

void Simulation::perform(const std::vector<Action>& actions) {
  for (const Action& action : actions) {
    const JobId job = head(action).job;
    const bool told = !hypervisor_.needs_spec(action) && !scheduler_.cluster().may_evolve(job);
    hypervisor_.perform(action, told ? nullptr : scheduler_.cluster().spec(job));
  }
}

void Simulation::go_on_after(Death death) {
  hypervisor_.outlive_manager(death.recovered.cluster().state().next_op);
  scheduler_ = std::move(death.recovered);
  if (power_) power_->outlive_manager(scheduler_.cluster().view());
  std::ranges::move(death.first, std::back_inserter(meddled_));
}

Error Simulation::never_ends(const std::string& why) const {
  constexpr std::size_t shown = 5;
  const auto& jobs = scheduler_.cluster().view().jobs;
  std::string text = std::to_string(jobs.size()) +
                     (jobs.size() == 1 ? " job never ends" : " jobs never end") + " under " +
                     scheduler_.policy().name() + " (" + why + "):";
  std::size_t count = 0;
  for (const auto& [id, job] : jobs) {
    if (++count > shown) break;
    text += "\n  job " + std::to_string(id.raw) + ": " +
            scheduler_.policy().explain(scheduler_.cluster().view(), id).text;
  }
  if (jobs.size() > shown) text += "\n  and " + std::to_string(jobs.size() - shown) + " more";
  return {ErrorKind::refused, text};
}

}  // namespace aliquot
