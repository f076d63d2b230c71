// The simulation of a workload: an event loop around the manager's own core and the model hypervisor.
//
// The loop goes to the next instant at which the workload, the model hypervisor or the core has something
// due. The core gets all events of the instant before it decides; rounds are repeated until nothing more is
// due then. Deterministic: the same workload, policy and options give the same result.
//
// Errors: the workload cannot be finished under this policy (some job will never be placed), or rounds at
// one instant never end. Both name the jobs concerned.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "manager/core/fair_share_watch.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/hypervisor/model/model_hypervisor.hpp"
#include "monitor/observer.hpp"
#include "policies/prediction/run_time_learner.hpp"
#include "tools/sim/needs/watched_needs.hpp"
#include "tools/sim/power/simulated_power.hpp"
#include "tools/sim/workload.hpp"
#include "tools/sim/workload/early_jobs.hpp"

namespace aliquot {

class Simulation {
 public:
  // Interventions of a user after a step (cancel, hold, another need), as events at the same instant. For
  // tests.
  using Meddler = std::function<std::vector<Event>(const Step&, const Cluster&)>;
  // How the manager dies with a step, and what the next one starts with. For tests.
  struct Death {
    Scheduler recovered;
    bool on_disk = true;       // the step was, before it died
    bool carried_out = false;  // the actions of the step had reached the nodes
    std::vector<Event> first;  // of the next manager: that it was restarted, what clients repeat
  };
  using Killer = std::function<std::optional<Death>(const Step&, const Cluster&)>;

  // Completes a submission when its job arrives, from what the cluster is by then: the number of tasks of a
  // moldable job. The jobs of one instant come in one after the other, each with a round of its own, so
  // that each sees those before it.
  using Molder = std::function<void(const WorkloadJob&, const ClusterView&, Submission&)>;

  // The workload must outlive the simulation. The observer sees every step. With `early` the jobs come from
  // there and the workload is empty; if they are withdrawn, run() ends as if there were no more.
  Simulation(const Workload& workload, const ClusterShape& shape, ModelOptions model,
             std::unique_ptr<Policy> policy, Observer& observer, Scheduler::Stopwatch stopwatch = {},
             EarlyJobs* early = nullptr);

  void set_meddler(Meddler meddler) { meddler_ = std::move(meddler); }
  void set_killer(Killer killer) { killer_ = std::move(killer); }
  void set_molder(Molder molder) { molder_ = std::move(molder); }
  // Jobs are predicted by this learner, which outlives the simulation, and taught to it; null: neither.
  // Where it is not called and the policy reads predictions, learning begins with the first job.
  void set_learner(prediction::RunTimeLearner* learner) { learner_ = learner; }
  // Where the needs of jobs come from that really need something else than they declare.
  void set_needs(NeedSource source);
  // The tree of accounts, with shares and limits.
  void set_accounts(std::vector<AccountTerms> accounts);
  // Fair share among the users of the trace, by the shares of their accounts; without set_accounts() before
  // it these are equal.
  void set_fair_share(Duration half_life) {
    fair_share_.emplace(fairness::FairShare(fairness::AccountTree(accounts_), half_life),
                        scheduler_.cluster());
  }
  // What is in force before the first job comes: what an event says of the site.
  void set_terms(Event terms) { terms_.push_back(std::move(terms)); }
  // Nodes go off and are woken by this power policy; without one they are always on.
  void set_power(power::PowerSettings settings, Instant counted_until = kNever) {
    power_.emplace(settings, counted_until);
  }

  // Until every job has ended.
  [[nodiscard]] Result<void> run();

  // What the nodes drew; null: no power policy was set.
  [[nodiscard]] const PowerFigures* power_figures() const { return power_ ? &power_->figures() : nullptr; }
  // Null: needs are as they are declared.
  [[nodiscard]] const NeedFigures* need_figures() const { return needs_ ? &needs_->figures() : nullptr; }
  [[nodiscard]] const ModelHypervisor& hypervisor() const { return hypervisor_; }
  // For a meddler that fences a node: what runs there is lost.
  void power_off(NodeId node) { hypervisor_.power_off(node); }
  [[nodiscard]] const Scheduler& scheduler() const { return scheduler_; }

 private:
  // Whether a job is left to submit. May wait for the reader.
  [[nodiscard]] bool has_next();
  // When something happens that calls for a step.
  [[nodiscard]] Instant next_instant();
  // Observes what jobs use until then, or until a need changes: when a step is due.
  [[nodiscard]] Instant watch_until(Instant next);
  [[nodiscard]] Result<void> live_through(Instant now);
  void learn(const Step& step);
  // Empties `events` but keeps its capacity.
  void round(Instant now, std::vector<Event>& events);
  void follow_needs(const std::vector<Event>& events);
  void follow_steps(const std::vector<Event>& events);
  void perform(const std::vector<Action>& actions);
  void go_on_after(Death death);
  void submit_due(Instant now, std::vector<Event>& events);
  // The weight that fair share gives it, under the number of its user.
  void weigh(const WorkloadJob& job, Instant now, Submission& submission);
  [[nodiscard]] Error never_ends(const std::string& why) const;

  const Workload& workload_;
  Scheduler scheduler_;
  bool repairs_ = false;  // nodes fail and are repaired, for ever
  std::optional<Duration> checkpoint_;
  bool network_;  // of every job of several tasks
  ModelHypervisor hypervisor_;
  Observer& observer_;
  Meddler meddler_;
  Killer killer_;
  Molder molder_;
  std::optional<SimulatedPower> power_;
  std::optional<WatchedNeeds> needs_;
  std::optional<FairShareWatch> fair_share_;
  std::optional<prediction::RunTimeLearner> own_learner_;
  prediction::RunTimeLearner* learner_ = nullptr;  // null: no job is predicted
  EarlyJobs* early_;                               // none: no more jobs will be known
  std::span<const WorkloadJob> jobs_;              // as far as they are known
  std::size_t submitted_ = 0;                      // of them
  Instant ask_again_ = kNever;                     // when to ask again about VMs of unknown state
  std::vector<AccountTerms> accounts_;
  std::vector<Event> terms_;   // for the first step
  std::vector<Event> events_;  // of the round that is being prepared
  std::vector<Event> meddled_;
  std::vector<Event> need_changes_;  // at watched_until_, or at the present instant
  Instant watched_until_;
  std::vector<Event> powered_;        // wishes of the power policy for the next round
  std::uint64_t idle_decisions_ = 0;  // in a row, while nothing ran and nothing was under way
};

}  // namespace aliquot
