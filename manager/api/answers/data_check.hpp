// What a submission says of its input and result files, its environment and its working directory: is it
// possible? Part of admission. Pure.
#pragma once

#include "manager/api/answers/admission.hpp"

namespace aliquot {

// Errors: invalid_argument, refused (the program is no command), too_large.
[[nodiscard]] Result<void> check_data(const Submit& asked, const AdmissionRules& rules);

}  // namespace aliquot
