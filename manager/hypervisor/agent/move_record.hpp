// What a move of a VM (agent_moves.hpp) has left to do, written into the spool before the VM is saved: if
// the manager dies while the VM is nothing but an image, the next start of it completes the move. An image
// without a record is of an earlier time, and says nothing of the VM.
#pragma once

#include <memory>
#include <optional>

#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/spool.hpp"
#include "policies/model/error.hpp"

namespace aliquot::agent {

struct MoveRecord {
  Migrate action;  // of one task
  std::shared_ptr<const JobSpec> spec;
  Yield cap;
  bool was_running = true;
};

// Removes the image of an earlier time first. On disk when it returns.
Result<void> write_record(const Spool& spool, const MoveRecord& record);
// None: this incarnation of the VM is not being moved, or the record cannot be read.
[[nodiscard]] std::optional<MoveRecord> read_record(const Spool& spool, const VmQuery& vm);
void remove_record(const Spool& spool, JobId job, std::uint32_t task);
// Those of the VMs that the action creates, saves, restores or destroys: it was commanded after their
// moves.
void remove_records(const Spool& spool, const Action& action);

}  // namespace aliquot::agent
