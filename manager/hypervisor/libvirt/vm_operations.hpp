// The actions on one VM as blocking libvirt calls. Each is idempotent, because a restarted manager does not
// know how far the previous one came: if the work is already done, the call succeeds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "manager/hypervisor/checkpoint_files.hpp"
#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/libvirt/numa.hpp"
#include "manager/hypervisor/libvirt/task_domain.hpp"

namespace aliquot {

// One VM, with shared ownership of everything that a call in progress needs.
struct VmContext {
  std::shared_ptr<const TaskDomainSettings> common;
  std::shared_ptr<const JobSpec> spec;
  std::uint32_t task = 0;
  VmIdentity identity;
  Uuid uuid{};
  std::string name;

  [[nodiscard]] JobId job() const { return spec->job; }
  // Sum over the tasks that the VM holds.
  [[nodiscard]] Cpu need() const { return spec->submission->demand.need * spec->tasks[task].units; }
  [[nodiscard]] Memory memory() const { return guest_memory(*spec->submission, spec->tasks[task].units); }
  [[nodiscard]] std::uint32_t vcpus() const { return vcpus_of(spec->submission) * spec->tasks[task].units; }
};

[[nodiscard]] VmContext vm_context(std::shared_ptr<const TaskDomainSettings> common,
                                   std::shared_ptr<const JobSpec> spec, std::uint32_t task);

Result<void> create_vm(Connection& node, const VmContext& vm, Yield yield, std::int64_t speed_ppm,
                       Acceleration acceleration, CellChoice& cells);
// From its saved image, or from this checkpoint of its job, if it is not 0. A checkpoint that is damaged is
// ErrorKind::refused.
Result<void> restore_vm(Connection& node, const VmContext& vm, Yield yield, std::int64_t speed_ppm,
                        std::uint32_t checkpoint, CellChoice& cells);
Result<void> release_vm(Connection& node, const VmContext& vm);
Result<void> suspend_vm(Connection& node, const VmContext& vm);
// Its guest is told to leave.
Result<void> notify_vm(Connection& node, const VmContext& vm);
Result<void> cap_vm(Connection& node, const VmContext& vm, Yield yield, std::int64_t speed_ppm);
Result<void> save_vm(Connection& node, const VmContext& vm);
// Writes the files of the VM, which is suspended and stays so, for this checkpoint. Their checksums are
// still to be computed.
[[nodiscard]] Result<TaskCheckpoint> write_checkpoint(Connection& node, const VmContext& vm,
                                                      std::uint32_t number);

struct MigrationRoute {
  std::string target;  // the node's name
  MigrationChoice choice;
  std::shared_ptr<Connection>
      target_side;  // to look at the VM after its arrival; null: the target is not connected
  std::shared_ptr<CellChoice> target_cells;
  std::int64_t source_speed_ppm = kMillion;
  std::int64_t target_speed_ppm = kMillion;
  std::function<void(Duration)> downtime;  // called with the downtime of the guest, if it is known
};
Result<void> migrate_vm(Connection& source, const VmContext& vm, const MigrationRoute& route);

// Aborts the save or migration of this VM. Retries for up to a second while `wanted` returns true, because
// the operation may be about to start.
Result<void> abort_vm(Connection& node, const Uuid& uuid, const std::function<bool()>& wanted);
Result<void> destroy_vm(Connection& node, const Uuid& uuid);
// Did the guest of a VM that is gone write its exit status?
[[nodiscard]] bool has_ended(const VmContext& vm);

}  // namespace aliquot
