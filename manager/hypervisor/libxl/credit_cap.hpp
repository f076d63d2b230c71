// Converts a yield into the cap of Xen's credit and credit2 schedulers: percent of one physical CPU, for
// all vCPUs of a domain together. Pure arithmetic.
//
// Xen takes a cap of 0 for "no limit". A yield of 0 is therefore never converted, and the least cap is 1.
#pragma once

#include <cstdint>

#include "policies/model/error.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

// need * yield on cores of this speed (parts per million of a reference core), in whole percent: rounded
// down, but at least 1 and at most 100 for each vCPU (the credit scheduler refuses more).
[[nodiscard]] Result<int> credit_cap(Cpu need, Yield yield, std::int64_t speed_ppm, std::uint32_t vcpus);

}  // namespace aliquot
