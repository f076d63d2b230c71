// Whether the VMs of a node run on its processor (KVM) or are emulated. /dev/kvm proves nothing: where
// nested virtualisation is partial, VMs start and their kernels never boot. So two guests are really booted
// under KVM: the hash chain (10 s), then Linux (20 s).
#pragma once

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

// One node's choice: made at first use, by whoever needs it first, and kept.
class AccelerationChoice {
 public:
  // `setting`: kvm | emulation | auto (settings.hpp).
  AccelerationChoice(std::string setting, std::shared_ptr<const TaskDomainSettings> common)
      : setting_(std::move(setting)), common_(std::move(common)) {}

  // Blocks while the probe runs. An error where KVM is asked for and does not work.
  [[nodiscard]] Result<Acceleration> get(const Connection& node);
  // None while it has not been found out.
  [[nodiscard]] std::optional<Result<Acceleration>> known() const;
  // What kept KVM from being chosen, if it was tried.
  [[nodiscard]] std::string why() const;

 private:
  const std::string setting_;
  const std::shared_ptr<const TaskDomainSettings> common_;
  std::mutex probing_;
  mutable std::mutex mutex_;
  std::optional<Result<Acceleration>> known_;
  std::string why_;
};

}  // namespace aliquot
