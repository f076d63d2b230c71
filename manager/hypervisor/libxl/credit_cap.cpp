#include "manager/hypervisor/libxl/credit_cap.hpp"

#include <algorithm>

namespace aliquot {

Result<int> credit_cap(Cpu need, Yield yield, std::int64_t speed_ppm, std::uint32_t vcpus) {
  constexpr std::int64_t kWhole = 100;
  const Cpu given = need * yield;
  if (given.raw <= 0) {
    return fail(ErrorKind::invalid_argument,
                "a cap of 0 means no limit to Xen; suspend or save the VM instead");
  }
  if (speed_ppm <= 0 || vcpus == 0) {
    return fail(ErrorKind::invalid_argument,
                "a node's speed and a VM's vCPUs are above 0; correct `speed`");
  }
  const std::int64_t percent = multiply_divide(given.raw, kWhole, speed_ppm);
  return static_cast<int>(std::clamp<std::int64_t>(percent, 1, kWhole * vcpus));
}

}  // namespace aliquot
