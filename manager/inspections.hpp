// Which VMs have been asked about: each unclear one once at a time, and again after a pause when the
// answer was "unknown".
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

class Inspections {
 public:
  // Of the VMs that are unclear now, those to ask about now; they count as asked from then on.
  [[nodiscard]] std::vector<VmQuery> to_ask(std::vector<VmQuery> unclear, Instant now);
  void answered(const Inspected& answer, Instant now);
  // When a VM is to be asked about again; kNever if none is.
  [[nodiscard]] Instant next_due() const;

 private:
  using Key = std::tuple<JobId, std::uint32_t, std::uint32_t>;  // job, task, incarnation
  std::map<Key, Instant> not_before_;                           // kNever: asked, no answer yet
};

}  // namespace aliquot
