#include "manager/orphan_removal.hpp"

namespace aliquot {
namespace {

constexpr Duration kPatience = seconds(40);

}  // namespace

Result<void> OrphanRemoval::remove(const OrphanVm& vm, const std::string& cause) const {
  auto destroyed = parts_.hypervisor.destroy_orphan(vm.node, vm.domain.uuid, kPatience);
  parts_.inbox.post(Continuation{[this, vm, cause, is_gone = destroyed.has_value()] {
    parts_.log.say(is_gone ? LogLevel::warning : LogLevel::error,
                   std::string(is_gone ? "orphan_destroyed" : "orphan_not_destroyed") + " node=" +
                       parts_.roster.nodes().at(vm.node.raw).name + " vm=" + vm.domain.name + " " + cause);
  }});
  return destroyed;
}

void OrphanRemoval::remove_outlived(const std::vector<OrphanVm>& vms, BackgroundTasks& tasks) const {
  for (const OrphanVm& vm : vms)
    tasks.run([this, vm]() -> std::function<void()> {
      (void)remove(vm, "why=its_task_has_another_vm");
      return {};
    });
}

}  // namespace aliquot
