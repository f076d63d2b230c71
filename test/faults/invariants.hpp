// What must hold in every scenario: no job is lost, no job ends twice, no law of plan_check is broken, the
// hypervisor is never asked for something impossible.
#pragma once

#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "manager/core/cluster.hpp"
#include "monitor/observer.hpp"
#include "test/faults/scenario.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {

class Invariants : public Observer {
 public:
  Invariants(const Scenario& scenario, std::ostream* journal) : scenario_(scenario), journal_(journal) {}

  // After every step: the decision and the state break no law, no job ends twice.
  void on_step(const Step& step, const ClusterView& after) override;
  // After every step: no action throws away what a job has done.
  void check_actions(const Step& step, const Cluster& cluster);
  // After every step: no action takes a job from one hypervisor kind to another.
  void check_kinds(const Step& step, const Cluster& cluster);
  // After every step: no more VMs are moved at a time than may be, and none too early.
  void check_moves(const Step& step, const Cluster& cluster);
  // After every step: what can be neither saved nor moved is started on no node that is
  // to be empty before it is sure to have ended.
  void check_windows(const Step& step, const Cluster& cluster, bool shares_cpu);
  // After every step: the incremental state of the cluster equals what a look at all jobs and nodes gives.
  void check_incremental(const Cluster& cluster) {
    check_derived(cluster);
    check_silence(cluster);
    check_power(cluster);
    check_sizes(cluster);
    check_charges(cluster);
    check_memory(cluster);
    check_pauses(cluster);
    check_arrays(cluster);
    check_uses(cluster);
    check_yields(cluster);
    check_diff(cluster);
  }
  // The manager has died, and its memory of the last diff with it: also of the step with which it died.
  void manager_died() {
    diff_storage_ = {};
    has_died_ = true;
  }
  // After the last step: every job ended as it had to, and no VM is left behind.
  void at_the_end(const ModelHypervisor& hypervisor);

  // The violations, at most twenty sentences.
  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }
  // A hash over all steps: two runs of one seed must agree.
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  struct Moved {
    std::uint32_t incarnation = 0;
    NodeId from;
    std::uint32_t moves = 0;  // in a row
    Instant at;
    Instant until;  // of its cool-down
  };
  void note_excuses(const Step& step, const Cluster& cluster);
  // That such a job would outstay no maintenance on the nodes that it is given.
  void check_closures(JobId id, const Placement& places, Instant now, const Cluster& cluster,
                      bool shares_cpu);
  void check_move(const Step& step, const Migrate& action, const JobRecord& record);
  void check_derived(const Cluster& cluster);
  void check_charges(const Cluster& cluster);
  void check_memory(const Cluster& cluster);
  void check_pauses(const Cluster& cluster);
  void check_silence(const Cluster& cluster);
  void check_power(const Cluster& cluster);
  void check_sizes(const Cluster& cluster);
  void check_arrays(const Cluster& cluster);
  void check_uses(const Cluster& cluster);
  void check_yields(const Cluster& cluster);
  void check_diff(const Cluster& cluster);
  void say(Instant now, const std::string& what);
  void check_members(const JobOutcome& array, const WorkloadJob& job, const ModelHypervisor& hypervisor);
  void check_end(const JobOutcome& outcome, const WorkloadJob& job, const ModelHypervisor& hypervisor);
  void mark(const std::string& text);

  const Scenario& scenario_;
  DiffStorage diff_storage_;
  bool has_died_ = false;
  std::optional<std::map<std::string, std::int64_t>> jobs_before_;  // by account, when it got its limits
  std::ostream* journal_;                                           // every step, a line each; null: none
  std::map<JobId, JobOutcome> ended_;
  std::map<JobId, std::uint32_t> sent_back_;  // how often operators have had it start anew
  std::set<JobId> stood_;                     // somewhere, after the step before
  std::map<JobId, Placement> placements_;     // after the step before
  std::map<JobId, Instant> excused_;          // when it was last allowed to leave its nodes early
  std::map<std::pair<JobId, std::uint32_t>, Moved> moved_;
  std::vector<std::string> broken_;
  std::uint64_t fingerprint_ = 14695981039346656037U;
};

}  // namespace aliquot
