// The need of a job changes while it runs: `aliquot set JOB --cpus`, or another need has been learned.
//
// At that moment nothing changes on the nodes. The VMs keep the CPU that they have, which is another share
// of the new need: caps and the yield in force are converted, and the policy is asked. A guaranteed yield
// takes more CPU of a greater need. What the nodes of the job lack for that, its neighbours give up, down
// to their own guarantees; where that is not enough, the job is taken off its nodes and goes on elsewhere.
// A learned need leaves the guaranteed amount of CPU as it is.
#pragma once

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// How the yield that the job is guaranteed is kept with another need.
enum class GuaranteeKept : std::uint8_t {
  as_it_stands,  // its nodes have it, or the job is not placed and can have it
  by_others,     // other jobs on its nodes are slowed
  elsewhere,     // the job leaves its nodes
  not_at_all,    // it cannot leave them, or nothing may be changed now; or the
                 // only nodes on which it can go on could never give it
};
// `later`: what the job is to ask for. Only need and guaranteed yield differ from what it asks for now.
[[nodiscard]] GuaranteeKept guarantee_kept(const CoreState& state, const Job& job, const Demand& later);

// Whether the VMs of the job have the virtual CPUs for such a need.
[[nodiscard]] inline bool can_use(const Submission& job, Cpu need) { return need <= cores(vcpus_of(job)); }

// Both are without effect where the guarantee could not be kept, which the note of the job says then. A
// learned need above what the vCPUs of the job can use is without effect, too.
void on(ClusterState& state, const NeedChanged& event);
void on(ClusterState& state, const NeedLearned& event);

}  // namespace aliquot
