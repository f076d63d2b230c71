// From the counters of VMs, which come and go, to what each node has used more since the last sample.
//
// A VM's counters run from its creation on and move with it; a node's must only grow. So the increase of
// each VM is added to the node where it was seen. Of a VM that was there before this watch began, the first
// sample is only the base from which to count. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "policies/model/id.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

struct VmUsage {
  JobId job;
  std::uint32_t task = 0;
  NodeId node;
  Duration cpu;        // used by the vCPU threads since the VM's creation
  Duration delay;      // ready but not running
  Duration throttled;  // held back by its cap
};

struct NodeUsage {
  Duration cpu;
  Duration delay;
  Duration throttled;
};

class VmUsageSum {
 public:
  // The job begins under this watch: its VMs count from zero.
  void begin(JobId job) { jobs_[job].from_birth = true; }
  void end(JobId job) { jobs_.erase(job); }
  // The increase since the last samples, by node; counters that went back began anew.
  [[nodiscard]] std::map<NodeId, NodeUsage> increase(const std::vector<VmUsage>& samples);

 private:
  struct Seen {
    bool from_birth = false;
    std::map<std::uint32_t, NodeUsage> tasks;
  };
  std::map<JobId, Seen> jobs_;
};

}  // namespace aliquot
