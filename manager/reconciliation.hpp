// Which VMs the hypervisor is asked about. A VM is unclear when the manager does not know what it does: an
// action on it timed out, its node did not answer for a while, the manager was restarted. The hypervisor
// inspects such a VM, and its answer comes back as an Inspected event.
//
// A question is asked only when the step that made the VM unclear is on disk, and with it all actions that
// were issued before: the answer must not be older than an action that is still to be performed. Each VM is
// asked about once at a time, and again after a pause if the answer was "unknown". Belongs to the loop.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

class Reconciliation {
 public:
  // After every step: all VMs that it left unclear.
  void note_unclear(std::uint64_t step, std::vector<VmQuery> unclear);
  // This step and all before it are on disk.
  void note_durable(std::uint64_t step) { durable_ = step; }
  // The VMs to ask about now; they count as asked from then on.
  [[nodiscard]] std::vector<VmQuery> take_due(Instant now);
  void answered(const Inspected& answer, Instant now);
  // Something has changed on the nodes: pauses are over.
  void ask_soon();
  // When take_due() will have something; kNever if nothing is known to come.
  [[nodiscard]] Instant next_due() const;

 private:
  using Key = std::tuple<JobId, std::uint32_t, std::uint32_t>;  // job, task, incarnation
  struct Open {
    VmQuery query;
    std::uint64_t since = 0;  // the step that made it unclear
    Instant not_before;       // kNever: asked, no answer yet
    std::uint32_t answers = 0;
  };
  std::map<Key, Open> open_;
  std::uint64_t durable_ = 0;
};

}  // namespace aliquot
