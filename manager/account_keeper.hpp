// Keeps what the users of accounts have used of their shares: the CPU time that was granted to their jobs,
// as the ledger has it, of which half is forgotten in a half-life (policies/fairness). Tells the core the
// weights that their jobs have for it, and which accounts have been served the core-hours of their limits.
//
// Without fair share (a half-life of 0) nothing is forgotten, and all weights are 1. Without accounts in
// the settings, too, nothing is kept.
//
// What was used is handed to `keep` as a text every few seconds, with what was granted to every job until
// then; so after a restart each core-second counts once, but for jobs that came and ended since. A stored
// text that cannot be read is set aside with a line of the log, and counting begins anew. Belongs to the
// loop.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "manager/api/answers/account_tree_answers.hpp"
#include "manager/core/fair_share_watch.hpp"
#include "manager/core/scheduler.hpp"
#include "monitor/observer.hpp"

namespace aliquot {

class AccountKeeper final : public Observer {
 public:
  // All outlive this.
  struct Parts {
    const Scheduler& scheduler;
    Duration half_life;  // 0: no fair share
    // CPU time granted to the job until then; 0: nothing is known of it. Also of a job that has ended.
    std::function<Duration(JobId, Instant)> granted;
    std::function<void(const std::string& line)> warn;
    std::function<void(std::string text)> keep;
    // As often as it is kept; for the metrics.
    std::function<void(const AccountStandings&)> tell = [](const AccountStandings&) {};
  };
  // `kept`: the text that was kept last; empty: none.
  AccountKeeper(Parts parts, const std::string& kept, Instant now);

  // After the ledger has seen the step.
  void on_step(const Step& step, const ClusterView& after) override;
  // Adds what is to be told.
  void before_step(std::vector<Event>& events, Instant now);
  [[nodiscard]] Instant next_due() const;
  void every_second(Instant now);

  // Of a job that is submitted now.
  [[nodiscard]] Weight weight_of(const fairness::AccountUser& user, Instant now);
  [[nodiscard]] AccountStandings standings(Instant now);

 private:
  struct Counted {
    fairness::AccountUser user;
    Duration granted;  // to the job, and counted as used
  };
  [[nodiscard]] const Cluster& cluster() const { return parts_.scheduler.cluster(); }
  [[nodiscard]] fairness::FairShare& fair_share() { return watch_.fair_share(); }
  [[nodiscard]] bool is_on() const { return parts_.half_life.raw > 0; }
  [[nodiscard]] bool is_asked_for() const;
  void count(JobId job, Counted& counted, Instant now);
  void count_all(Instant now);
  void take_up(const std::string& kept, Instant now);
  void keep(Instant now);
  void tell_served(std::vector<Event>& events, Instant now);

  Parts parts_;
  FairShareWatch watch_;
  std::map<JobId, Counted> jobs_;
  bool has_core_hours_ = false;   // some account has a limit of them
  bool weights_are_old_ = false;  // jobs have weights of an earlier run, which had fair share
  Instant served_due_ = kNever;
  std::optional<Instant> kept_at_;
};

}  // namespace aliquot
