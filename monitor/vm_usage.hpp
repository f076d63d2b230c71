// From the counters of VMs, which come and go, to what each job has used more since the last sample, and
// where.
//
// A VM's counters run from its creation on and move with it; a node's and an account's must only grow. So
// the increase of each VM is added to the node where it was seen and to its job's account. Of a VM that was
// there before this watch began, the first sample is only the base from which to count. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "policies/model/id.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

struct VmUsage {
  JobId job;
  std::uint32_t task = 0;
  NodeId node;
  Duration cpu;        // used by the vCPU threads since the VM's creation
  Duration delay;      // ready but not running
  Duration throttled;  // held back by its cap
};

struct Usage {
  Duration cpu;
  Duration delay;
  Duration throttled;
};

// Of one VM, since the last samples.
struct UsageIncrease {
  JobId job;
  NodeId node;
  Usage more;
};

// What a running VM may use, by the cap that its hypervisor acknowledged.
struct VmCap {
  JobId job;
  NodeId node;
  Cpu granted;  // of the reference core
  Cpu own;      // the same of its node's own cores
};

class VmUsageSum {
 public:
  // The job begins under this watch: its VMs count from zero.
  void begin(JobId job) { jobs_[job].from_birth = true; }
  void end(JobId job) { jobs_.erase(job); }
  // The increase since the last samples, of each of these; counters that went back began anew.
  [[nodiscard]] std::vector<UsageIncrease> increase(const std::vector<VmUsage>& samples);

 private:
  struct Seen {
    bool from_birth = false;
    std::map<std::uint32_t, Usage> tasks;
  };
  std::map<JobId, Seen> jobs_;
};

}  // namespace aliquot
