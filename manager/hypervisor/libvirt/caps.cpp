#include "manager/hypervisor/libvirt/caps.hpp"

#include <algorithm>

namespace aliquot {
namespace {

// A cap of amount / divisor of one core, with the requested period if the quota allows it.
CpuCap lawful_cap(Int128 amount, Int128 divisor, Duration wished) {
  Int128 period = std::clamp(wished, kShortestCapPeriod, kLongestCapPeriod).raw;
  Int128 quota = amount * period / divisor;
  if (quota < kShortestQuota.raw) {
    const Int128 needed = (kShortestQuota.raw * divisor + amount - 1) / amount;
    period = std::clamp<Int128>(needed, period, kLongestCapPeriod.raw);
    quota = std::max<Int128>(amount * period / divisor, kShortestQuota.raw);
  }
  return {{static_cast<std::int64_t>(period)}, {static_cast<std::int64_t>(quota)}};
}

}  // namespace

Result<CpuCap> cpu_cap(Cpu need, Yield yield, std::int64_t speed_ppm, std::uint32_t vcpus,
                       Duration period) {
  const Cpu given = need * yield;
  if (given.raw <= 0) {
    return fail(ErrorKind::invalid_argument,
                "a cap of 0 means no limit to a hypervisor; suspend or save the VM instead");
  }
  if (speed_ppm <= 0 || vcpus == 0) {
    return fail(ErrorKind::invalid_argument,
                "a node's speed and a VM's vCPUs are above 0; correct `speed`");
  }
  return lawful_cap(static_cast<Int128>(given.raw), static_cast<Int128>(speed_ppm) * vcpus, period);
}

CpuCap emulator_cap(Duration period) {
  const Duration lawful = std::clamp(period, kShortestCapPeriod, kLongestCapPeriod);
  return {lawful, lawful};
}

CpuCap rescaled(CpuCap cap, std::int64_t from_speed_ppm, std::int64_t to_speed_ppm) {
  return lawful_cap(static_cast<Int128>(cap.quota.raw) * from_speed_ppm,
                    static_cast<Int128>(cap.period.raw) * to_speed_ppm, cap.period);
}

}  // namespace aliquot
