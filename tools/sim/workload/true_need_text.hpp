// The column true_need of a CSV workload: "0.3", or phases by virtual time, "10m:0.3,1h:0.8,0.2": ten
// minutes with 0.3, then an hour with 0.8, then 0.2. Fractions of the reference node, per task. The times
// are how long a phase takes where the job has all that it needs.
#pragma once

#include <string>

#include "manager/hypervisor/model/true_needs.hpp"
#include "policies/model/error.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

// `capacity`: of the reference node. An error says what is wrong and shows how a need is written.
[[nodiscard]] Result<TrueNeeds> parse_true_needs(const std::string& text, Cpu capacity);

}  // namespace aliquot
