// What each action does on one node's connection, as blocking calls. Every one may be repeated: a restarted
// manager does not know how far its predecessor came, and finding the work done is success.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/libvirt/task_domain.hpp"

namespace aliquot {

// One VM, with all that stays valid while a call is under way.
struct VmContext {
  std::shared_ptr<const TaskDomainSettings> common;
  std::shared_ptr<const JobSpec> spec;
  std::uint32_t task = 0;
  VmIdentity identity;
  Uuid uuid{};
  std::string name;

  [[nodiscard]] JobId job() const { return spec->job; }
  // Of all the tasks that the VM holds.
  [[nodiscard]] Cpu need() const { return spec->submission->demand.need * spec->tasks[task].units; }
  [[nodiscard]] std::uint32_t vcpus() const { return vcpus_of(spec->submission) * spec->tasks[task].units; }
};

[[nodiscard]] VmContext vm_context(std::shared_ptr<const TaskDomainSettings> common,
                                   std::shared_ptr<const JobSpec> spec, std::uint32_t task);

Result<void> create_vm(Connection& node, const VmContext& vm, Yield yield, std::int64_t speed_ppm,
                       Acceleration acceleration);
Result<void> restore_vm(Connection& node, const VmContext& vm, Yield yield, std::int64_t speed_ppm);
Result<void> release_vm(Connection& node, const VmContext& vm);
Result<void> suspend_vm(Connection& node, const VmContext& vm);
Result<void> cap_vm(Connection& node, const VmContext& vm, Yield yield, std::int64_t speed_ppm);
Result<void> save_vm(Connection& node, const VmContext& vm);

struct MigrationRoute {
  std::string target;  // the node's name
  MigrationChoice choice;
  std::shared_ptr<Connection> target_side;  // to see what arrived; none: the target is not connected
  std::int64_t source_speed_ppm = kMillion;
  std::int64_t target_speed_ppm = kMillion;
  std::function<void(Duration)> downtime;  // told how long the guest stood still, if that can be known
};
Result<void> migrate_vm(Connection& source, const VmContext& vm, const MigrationRoute& route);

// Gives up the save or migration of this VM; tries again for a moment while `wanted` says that it is to
// begin any instant.
Result<void> abort_vm(Connection& node, const Uuid& uuid, const std::function<bool()>& wanted);
Result<void> destroy_vm(Connection& node, const Uuid& uuid);

}  // namespace aliquot
