// Finds out whether the VMs of a node can run under KVM or must be emulated. The existence of /dev/kvm is
// not enough: with partial nested virtualisation VMs start, but their kernels never boot. The probe
// therefore boots two guests under KVM: the hash chain (at most 10 s), then Linux (at most 20 s).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "config/settings.hpp"
#include "manager/hypervisor/libvirt/domain_xml.hpp"
#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/libvirt/task_domain.hpp"

namespace aliquot {

// Boots both guests on the node; an error says which did not come up.
[[nodiscard]] Result<void> probe_kvm(const Connection& node, const TaskDomainSettings& common);

// The choice for one node: made at the first use and then kept.
class AccelerationChoice {
 public:
  // `setting`: kvm | emulation | auto (settings.hpp).
  AccelerationChoice(std::string setting, std::shared_ptr<const TaskDomainSettings> common)
      : setting_(std::move(setting)), common_(std::move(common)) {}

  // Blocks while the probe runs. Errors: where KVM is asked for and does not work; unavailable, it is
  // closed.
  [[nodiscard]] Result<Acceleration> get(const Connection& node);
  // From now on get() fails, also one that waits for the probe. The backend is gone, and another may have
  // found meanwhile that the VM is not there: it must not be created later.
  void close() { closed_ = true; }
  // No value before the first get().
  [[nodiscard]] std::optional<Result<Acceleration>> known() const;
  // The reason for which KVM was tried and not chosen; empty if there is none.
  [[nodiscard]] std::string why() const;

 private:
  [[nodiscard]] Result<Acceleration> choose(const Connection& node);

  const std::string setting_;
  const std::shared_ptr<const TaskDomainSettings> common_;
  std::atomic<bool> closed_{false};
  std::mutex probing_;
  mutable std::mutex mutex_;
  std::optional<Result<Acceleration>> known_;
  std::string why_;
};

}  // namespace aliquot
