// Counts decisions that undo earlier ones: a VM is moved back to the node that it left less than kWindow
// ago, or a job is paused again less than kWindow after it was resumed. Pure.
#pragma once

#include <cstdint>
#include <map>

#include "monitor/record/action.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

class Oscillations {
 public:
  static constexpr Duration kWindow = seconds(3600);

  struct Count {
    std::uint32_t moved_back = 0;    // VMs
    std::uint32_t paused_again = 0;  // jobs
  };
  // The oscillations in an action that is issued now.
  [[nodiscard]] Count take(const Action& action, Instant now);
  void end(JobId job) { jobs_.erase(job); }

 private:
  struct Left {
    NodeId node;
    Instant at;
  };
  struct Known {
    std::map<std::uint32_t, Left> left;     // by task: the node from which it was last moved
    std::map<std::uint32_t, NodeId> saved;  // by task: where it was saved
    bool resumed = false;
    Instant resumed_at;
  };
  [[nodiscard]] static bool move(Known& job, std::uint32_t task, NodeId from, NodeId to, Instant now);

  std::map<JobId, Known> jobs_;  // with a VM that was moved, saved or restored
};

}  // namespace aliquot
