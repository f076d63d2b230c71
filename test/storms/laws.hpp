// What must hold whatever the weather: nothing is lost, nothing happens twice, no law is broken.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "manager/core/cluster.hpp"
#include "monitor/observer.hpp"
#include "test/storms/world.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {

class Laws : public Observer {
 public:
  Laws(const World& world, std::ostream* journal) : world_(world), journal_(journal) {}

  // After every step: the decision is lawful, the state is lawful, nothing ends twice.
  void on_step(const Step& step, const ClusterView& after) override;
  // After every step: what the cluster remembers of its jobs and nodes is what would be found by looking at
  // all of them.
  void check_memory(const Cluster& cluster) {
    check_chores(cluster);
    check_charges(cluster);
    check_diff(cluster);
  }
  // After the last: every job ended as it had to, and nothing is left behind.
  void at_the_end(const ModelHypervisor& hypervisor);

  // All that is wrong, at most twenty sentences.
  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }
  // Everything that happened, in one number: two runs of one seed must agree.
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  void check_chores(const Cluster& cluster);
  void check_charges(const Cluster& cluster);
  void check_diff(const Cluster& cluster);
  void say(Instant now, const std::string& what);
  void check_end(const JobOutcome& outcome, const WorkloadJob& job, const ModelHypervisor& hypervisor);
  void mark(const std::string& text);

  const World& world_;
  DiffStorage diff_storage_;
  std::ostream* journal_;  // every step, a line each; null: none
  std::map<JobId, JobOutcome> ended_;
  std::vector<std::string> broken_;
  std::uint64_t fingerprint_ = 14695981039346656037U;
};

}  // namespace aliquot
