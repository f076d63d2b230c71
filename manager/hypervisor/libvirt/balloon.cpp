#include "manager/hypervisor/libvirt/balloon.hpp"

namespace aliquot {

// libvirt makes a call wait for an operation in progress and for a QEMU that does not answer.
Result<void> set_balloon(const Connection& connection, const Uuid& vm, Memory memory) {
  const auto domain = find_domain(connection, vm);
  if (!domain) return tl::unexpected(domain.error());
  const DomainControl control = control_of(*domain);
  if (control.busy || control.mute.raw > 0)
    return fail(ErrorKind::conflict, "the VM takes nothing else now; try again");
  const auto kib = static_cast<unsigned long>(memory.raw >> 10);
  if (virDomainSetMemoryFlags(domain->get(), kib, VIR_DOMAIN_AFFECT_LIVE) < 0)
    return tl::unexpected(libvirt_error(connection, "cannot set the balloon of a VM"));
  constexpr int kEvery_s = 1;
  if (virDomainSetMemoryStatsPeriod(domain->get(), kEvery_s, VIR_DOMAIN_AFFECT_LIVE) < 0)
    return tl::unexpected(libvirt_error(connection, "cannot ask the guest of a VM more often"));
  return {};
}

}  // namespace aliquot
