#include "manager/hypervisor/libvirt/vm_operations.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/libvirt/saved_image.hpp"
#include "manager/hypervisor/local_saves.hpp"
#include "manager/hypervisor/status_channel.hpp"
#include "manager/hypervisor/task_files.hpp"
#include "manager/hypervisor/task_list.hpp"

namespace aliquot {
namespace {

bool is_absent(const Error& error) { return error.kind == ErrorKind::not_found; }

bool has_disk(const VmContext& vm) {
  return std::holds_alternative<ImageBoot>(vm.spec->submission->program);
}

tl::unexpected<Error> wrong_state(const Connection& node, const VmContext& vm, const std::string& what) {
  return fail(ErrorKind::conflict,
              "node " + node.node() + ": " + vm.name + " " + what + "; inspect it before anything else");
}

// The domain of the VM, or an error if libvirt calls on it would block: libvirt makes a call wait for an
// operation in progress and for a QEMU that does not answer, and the other VMs in this queue would wait
// too.
Result<DomainHandle> find_free(const Connection& node, const VmContext& vm) {
  auto domain = find_domain(node, vm.uuid);
  if (!domain) return domain;
  const DomainControl control = control_of(*domain);
  if (control.busy) return wrong_state(node, vm, "is being saved or moved and takes nothing else now");
  if (control.mute.raw == 0) return domain;
  return fail(ErrorKind::conflict, "node " + node.node() + ": the QEMU of " + vm.name +
                                       " has not answered for " +
                                       std::to_string(control.mute.raw / kMillion) +
                                       " s; look at the storage it uses, or cancel the job");
}

// Sets the cap of the VM on this node; it is in force when this returns.
Result<void> apply_cap(Connection& node, const DomainHandle& domain, const VmContext& vm, Yield yield,
                       std::int64_t speed_ppm) {
  const auto cap = cpu_cap(vm.need(), yield, speed_ppm, vm.vcpus(), vm.common->cap_period);
  if (!cap) return tl::unexpected(cap.error());
  return set_caps(node, domain, *cap, emulator_cap(vm.common->cap_period));
}

// An earlier, interrupted call has created the VM already. If it is paused, only its cap is missing.
Result<void> adopt_paused(Connection& node, const DomainHandle& domain, const VmContext& vm, Yield yield,
                          std::int64_t speed_ppm) {
  const auto state = state_of(node, domain);
  if (!state) return tl::unexpected(state.error());
  if (*state != VmFact::paused) return wrong_state(node, vm, "stands there already and is not paused");
  return apply_cap(node, domain, vm, yield, speed_ppm);
}

// A QEMU that ended as it started has said why (a kernel that it cannot load) and left no VM behind. The
// kind of the error says that nothing is in doubt: the attempts count, and the last one ends the job.
Error start_error(Error error, const VmContext& vm) {
  for (const std::string& kernel : {vm.common->guest.kernel, vm.common->guest.chain})
    if (error.message.find("unable to stat: " + kernel) != std::string::npos)
      error.message = error.message.substr(0, error.message.find("; look at")) +
                      "; install the package aliquot-guest there: each node needs the guest, at this path";
  for (const char* ended :
       {"process exited while connecting to monitor", "unexpectedly closed the monitor"})
    if (error.message.find(ended) != std::string::npos) error.kind = ErrorKind::refused;
  if (error.message.find("Unable to find any firmware") == std::string::npos) return error;
  return {ErrorKind::refused,
          error.message.substr(0, error.message.find("; look at")) +
              "; the image boots by UEFI, and this node has no firmware for that: install "
              "the package ovmf there"};
}

Result<void> run_for_a_moment(Connection& node, const DomainHandle& domain) {
  return resume(node, domain).and_then([&] { return suspend(node, domain); });
}

// QEMU 7.2 crashes if it migrates or saves a VM whose disk it received by migration and has not opened
// since, one that is only read included. It opens the disk when the VM runs, so a paused VM with a disk is
// resumed for a moment first.
Result<void> open_disk(Connection& node, const DomainHandle& domain, const VmContext& vm) {
  if (!has_disk(vm) && !has_task_list(*vm.spec->submission)) return {};
  const auto state = state_of(node, domain);
  if (!state) return tl::unexpected(state.error());
  if (*state != VmFact::paused) return {};
  return run_for_a_moment(node, domain);
}

// Saves, migrates or writes a checkpoint. Was an earlier copy of the memory cut off after QEMU had written
// all of it, QEMU takes the VM for one that has moved away, and refuses the next copy until it has run.
template <class Copy>
Result<void> copy_memory(Connection& node, const DomainHandle& domain, const Copy& copy) {
  auto copied = copy();
  if (copied || copied.error().message.find("paused due to previous migration") == std::string::npos)
    return copied;
  return run_for_a_moment(node, domain).and_then(copy);
}

// The image of a VM that moves is in the spool, whatever local saves the nodes have.
Spool saves_to(const VmContext& vm) {
  return vm.spec->moves ? vm.common->spool.shared() : vm.common->spool;
}

// None: there is none that this node could read.
Result<std::optional<std::string>> usable_image(const VmContext& vm) {
  if (!vm.spec->moves) return find_image(vm.common->spool, vm.identity);
  const Spool place = saves_to(vm);
  return recover_image(place, vm.job(), vm.task, vm.uuid).map([&](bool is_whole) {
    return is_whole ? std::optional(place.image(vm.job(), vm.task)) : std::nullopt;
  });
}

// The image of the memory that was saved last. Refused: the attempts count, and the job is held at last.
Result<std::string> saved_image_of(const VmContext& vm) {
  const auto image = usable_image(vm);
  if (!image) return tl::unexpected(image.error());
  if (*image) return **image;
  const auto keeper = keeper_of(vm.common->spool, vm.identity);
  if (keeper && *keeper == Keeper::other_node)
    return fail(ErrorKind::refused, vm.name +
                                        " was saved to another directory than this node's agent has " +
                                        "now: start the agent that saved it with the same --saves");
  return fail(ErrorKind::not_found, vm.name + " has no complete image in " +
                                        saves_to(vm).image_directory(vm.job()) + "; inspect it");
}

// Once its VM stands again an image is outdated. One of the spool is overwritten by the next; one that the
// node keeps is removed at once, since the next may be made elsewhere. Beside a disk, which changes from
// now on, neither would be consistent.
Result<void> remove_outdated_images(const VmContext& vm) {
  if (!has_disk(vm) && !vm.common->spool.has_local_saves()) return {};
  return remove_images(vm.common->spool, vm.job(), vm.task);
}

// Before the VM is stopped: a job whose image does not fit runs on.
Result<SpoolSpace::Promise> promise_space(const VmContext& vm) {
  const auto& space = vm.spec->moves ? vm.common->space : vm.common->save_space;
  return space->promise(vm.memory(), "save " + vm.name);
}

// No save is in progress, so a partial image is a leftover. Until this one is complete the mark of a local
// save tells where it would be.
Result<void> begin_save(const VmContext& vm) {
  const Spool& spool = vm.common->spool;
  if (spool.has_local_saves()) {
    if (auto removed = remove_images(spool, vm.job(), vm.task); !removed) return removed;
    return vm.spec->moves ? Result<void>() : mark_kept(spool, vm.identity);
  }
  if (auto removed = remove_kept_mark(spool, vm.job(), vm.task); !removed) return removed;
  return remove_file(spool.image_part(vm.job(), vm.task));
}

// With QEMU 7.2, emulated Linux guests that write much memory do not always survive a live migration: one
// in eight hung within 32 moves, and the kernel of another one panicked during its boot. Guests that were
// paused during the copy survived all of 50 moves. The hash-chain guest works in registers only and has
// never failed.
bool may_move_live(const DomainHandle& domain, const VmContext& vm) {
  return std::holds_alternative<HashChain>(vm.spec->submission->program) || !is_emulated(domain);
}

}  // namespace

VmContext vm_context(std::shared_ptr<const TaskDomainSettings> common, std::shared_ptr<const JobSpec> spec,
                     std::uint32_t task) {
  VmContext out;
  out.identity = identity_of(*common, *spec, task);
  out.uuid = vm_uuid(out.identity);
  out.name = vm_name(out.identity);
  out.common = std::move(common);
  out.spec = std::move(spec);
  out.task = task;
  return out;
}

Result<void> create_vm(Connection& node, const VmContext& vm, Yield yield, std::int64_t speed_ppm,
                       Acceleration acceleration, CellChoice& cells) {
  const auto standing = find_domain(node, vm.uuid);
  if (standing) return adopt_paused(node, *standing, vm, yield, speed_ppm);
  if (!is_absent(standing.error())) return tl::unexpected(standing.error());
  auto spec = task_domain(*vm.common, *vm.spec, vm.task, yield, speed_ppm, acceleration);
  if (!spec) return tl::unexpected(spec.error());
  VmIdentity identity = vm.identity;
  identity.created =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  spec->metadata = metadata_element(identity);
  const auto cell = cells.promise(node, vm.uuid, vm.vcpus(), vm.memory());
  const auto xml =
      domain_xml(*spec).and_then([&](std::string whole) { return cells.apply(std::move(whole), cell); });
  if (!xml) return tl::unexpected(xml.error());
  if (auto whole = check_image(vm.common->spool, *vm.spec->submission); !whole) return whole;
  if (auto ready = prepare_files(*vm.common, *vm.spec, vm.task); !ready) return ready;
  // The cap is part of the XML, so the VM never exists without it.
  const auto created = create_paused(node, *xml);
  if (!created) return tl::unexpected(start_error(created.error(), vm));
  return {};
}

Result<void> restore_vm(Connection& node, const VmContext& vm, Yield yield, std::int64_t speed_ppm,
                        std::uint32_t checkpoint, CellChoice& cells) {
  const auto standing = find_domain(node, vm.uuid);
  if (standing)
    return adopt_paused(node, *standing, vm, yield, speed_ppm).and_then([&] {
      return remove_outdated_images(vm);
    });
  if (!is_absent(standing.error())) return tl::unexpected(standing.error());
  const auto image =
      checkpoint > 0 ? go_back_to(vm.common->spool, vm.identity, checkpoint) : saved_image_of(vm);
  if (!image) return tl::unexpected(image.error());
  if (auto whole = check_image(vm.common->spool, *vm.spec->submission); !whole) return whole;
  // The node on which it was saved may have had other cells.
  const auto cell = cells.promise(node, vm.uuid, vm.vcpus(), vm.memory());
  const auto xml = cells.apply(saved_definition(node, *image), cell);
  if (!xml) return tl::unexpected(xml.error());
  if (auto restored = restore_paused(node, *image, *xml); !restored) return restored;
  const auto domain = find_domain(node, vm.uuid);
  if (!domain) return tl::unexpected(domain.error());
  // The image restores the cap of the time at which it was made.
  if (auto capped = apply_cap(node, *domain, vm, yield, speed_ppm); !capped) return capped;
  return remove_outdated_images(vm);
}

Result<void> release_vm(Connection& node, const VmContext& vm) {
  const auto domain = find_free(node, vm);
  if (!domain) return tl::unexpected(domain.error());
  const auto state = state_of(node, *domain);
  if (!state) return tl::unexpected(state.error());
  if (*state == VmFact::running) return {};
  return resume(node, *domain);
}

Result<void> suspend_vm(Connection& node, const VmContext& vm) {
  const auto domain = find_free(node, vm);
  if (!domain) return tl::unexpected(domain.error());
  const auto state = state_of(node, *domain);
  if (!state) return tl::unexpected(state.error());
  if (*state == VmFact::paused) return {};
  return suspend(node, *domain);
}

Result<void> notify_vm(Connection& node, const VmContext& vm) {
  const auto domain = find_free(node, vm);
  if (!domain) return tl::unexpected(domain.error());
  return press_power_button(node, *domain);
}

Result<void> cap_vm(Connection& node, const VmContext& vm, Yield yield, std::int64_t speed_ppm) {
  // The VM may end before the cap is set. That is no error: its end is reported as an event.
  const auto unless_ended = [&](Error error) -> Result<void> {
    const auto still = find_domain(node, vm.uuid);
    if (!still && is_absent(still.error()) && has_ended(vm)) return {};
    return tl::unexpected(std::move(error));
  };
  const auto domain = find_free(node, vm);
  if (!domain) return unless_ended(domain.error());
  return apply_cap(node, *domain, vm, yield, speed_ppm).or_else(unless_ended);
}

Result<void> save_vm(Connection& node, const VmContext& vm) {
  const auto domain = find_free(node, vm);
  if (!domain && !is_absent(domain.error())) return tl::unexpected(domain.error());
  if (!domain) {
    const auto image = usable_image(vm);
    if (!image) return tl::unexpected(image.error());
    if (*image) return {};
    return tl::unexpected(domain.error());
  }
  const auto space = promise_space(vm);
  if (!space) return tl::unexpected(space.error());
  if (auto begun = begin_save(vm); !begun) return begun;
  const auto write = [&] { return save_to(node, *domain, saves_to(vm).image_part(vm.job(), vm.task)); };
  auto saved = open_disk(node, *domain, vm).and_then([&] { return copy_memory(node, *domain, write); });
  if (!saved) {
    // Where the VM runs on, no image is waited for if its node should die.
    if (find_domain(node, vm.uuid)) (void)remove_kept_mark(vm.common->spool, vm.job(), vm.task);
    return saved;
  }
  const auto image = usable_image(vm);
  if (!image) return tl::unexpected(image.error());
  if (!*image)
    return wrong_state(
        node, vm,
        "was saved, but its image is not to be seen in " + saves_to(vm).image_directory(vm.job()));
  return {};
}

Result<TaskCheckpoint> write_checkpoint(Connection& node, const VmContext& vm, std::uint32_t number) {
  const Spool& spool = vm.common->spool;
  const auto domain = find_free(node, vm);
  if (!domain) return tl::unexpected(domain.error());
  const auto state = state_of(node, *domain);
  if (!state) return tl::unexpected(state.error());
  if (*state != VmFact::paused) return wrong_state(node, vm, "is to be written and does not stand still");
  const TaskCheckpoint out = checkpoint_of(spool, vm.identity);
  const std::string memory = spool.checkpoint_memory(vm.job(), number, vm.task);
  if (auto removed = remove_file(memory); !removed) return tl::unexpected(removed.error());
  const auto write = [&] { return write_memory(node, *domain, memory, has_disk(vm) ? kDiskName : ""); };
  if (auto written = copy_memory(node, *domain, write); !written) return tl::unexpected(written.error());
  // QEMU has written all of the disk when the VM stands still, and writes nothing to it until it runs
  // again.
  if (has_disk(vm))
    if (auto copied =
            copy_file(spool.overlay(vm.job(), vm.task), spool.checkpoint_disk(vm.job(), number, vm.task));
        !copied)
      return tl::unexpected(copied.error());
  return out;
}

Result<void> migrate_vm(Connection& source, const VmContext& vm, const MigrationRoute& route) {
  const auto at_target = [&] { return route.target_side && find_domain(*route.target_side, vm.uuid); };
  const auto domain = find_free(source, vm);
  if (!domain && is_absent(domain.error()) && at_target()) return {};
  if (!domain) return tl::unexpected(domain.error());
  if (route.choice.uri.empty()) {
    return fail(ErrorKind::unsupported,
                "node " + route.target + " has no migrate_uri; set it to allow live migration to it");
  }
  // The other node reads the image anew. The VM runs on where it is if the image has changed.
  if (auto whole = check_image(vm.common->spool, *vm.spec->submission); !whole) return whole;
  if (auto open = open_disk(source, *domain, vm); !open) return open;
  MigrationChoice choice = route.choice;
  choice.live = may_move_live(*domain, vm);
  const auto cell = route.target_side
                        ? route.target_cells->promise(*route.target_side, vm.uuid, vm.vcpus(), vm.memory())
                        : CellChoice::Promise();
  auto xml = route.target_cells->apply(movable_definition(*domain), cell);
  if (!xml) return tl::unexpected(xml.error());
  choice.xml = std::move(*xml);
  const auto moved = copy_memory(source, *domain, [&] { return migrate_to(source, *domain, choice); });
  if (!moved) {
    // The error may come from a step after the point of no return: what counts is where the VM is.
    const auto still_here = find_domain(source, vm.uuid);
    if (still_here || !is_absent(still_here.error())) return moved;
    if (!at_target()) {
      return fail(ErrorKind::timeout, moved.error().message + " (" + vm.name + " stands on neither node)");
    }
  }
  if (!route.target_side) return {};
  const auto there = find_domain(*route.target_side, vm.uuid);
  if (!there) return {};  // it has ended or was moved again meanwhile
  if (const auto downtime = migration_downtime(*there); downtime && route.downtime)
    route.downtime(*downtime);
  if (route.source_speed_ppm == route.target_speed_ppm) return {};
  const auto cap = vcpu_cap(*route.target_side, *there);
  if (!cap) return tl::unexpected(cap.error());
  return set_caps(*route.target_side, *there,
                  rescaled(*cap, route.source_speed_ppm, route.target_speed_ppm),
                  emulator_cap(vm.common->cap_period));
}

Result<void> abort_vm(Connection& node, const Uuid& uuid, const std::function<bool()>& wanted) {
  constexpr int kTries = 20;
  constexpr std::chrono::milliseconds kBetween{50};
  for (int i = 1;; ++i) {
    const auto domain = find_domain(node, uuid);
    if (!domain && is_absent(domain.error()))
      return {};  // saved, moved or gone: no operation is in progress here
    if (!domain) return tl::unexpected(domain.error());
    const auto aborted = abort_job(node, *domain);
    if (aborted || !wanted()) return {};
    if (i == kTries || aborted.error().kind != ErrorKind::conflict) return aborted;
    std::this_thread::sleep_for(kBetween);
  }
}

bool has_ended(const VmContext& vm) {
  return has_exit_status(vm.common->spool.status(vm.job(), vm.task, vm.identity.incarnation));
}

Result<void> destroy_vm(Connection& node, const Uuid& uuid) {
  const auto domain = find_domain(node, uuid);
  if (!domain && is_absent(domain.error())) return {};
  if (!domain) return tl::unexpected(domain.error());
  const auto destroyed = destroy(node, *domain);
  if (!destroyed) {
    const auto still = find_domain(node, uuid);
    if (!still && is_absent(still.error())) return {};  // it has ended by itself meanwhile
  }
  return destroyed;
}

}  // namespace aliquot
