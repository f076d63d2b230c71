// The manager dies, and the next one goes on with what was on disk. Death comes between any two steps:
// after the actions of a step reached the nodes, before that, or before the step was on disk.
//
// What the store would hold is kept here as it would be encoded: a snapshot now and then, and the steps
// after it. A manager that recovers must have the state of the one that died, bit for bit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/hypervisor/model/chance.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {

class Deaths {
 public:
  // `per_million`: how often a step is the manager's last. The policy is the one that recovers.
  Deaths(std::uint64_t seed, std::uint32_t per_million, std::string policy);

  // Called with every step, and the cluster as it left it.
  [[nodiscard]] std::optional<Simulation::Death> after(const Step& step, const Cluster& cluster);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // What went wrong with a recovery, a sentence each.
  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }

 private:
  void keep(const Step& step, const Cluster& cluster);
  [[nodiscard]] std::optional<Scheduler> recover();

  const Chance chance_;
  const std::uint32_t per_million_;
  const std::string policy_;
  std::string snapshot_;
  std::vector<Step> steps_;  // after the snapshot
  std::uint64_t seen_ = 0;   // steps, those that were lost included
  std::uint64_t count_ = 0;
  std::vector<std::string> broken_;
};

}  // namespace aliquot
