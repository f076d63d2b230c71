// QEMU as it emulates the devices of HVM guests: a process in dom0 for each of them, which libxl starts.
#pragma once

#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

// Its path. ErrorKind::unsupported: it is not installed.
[[nodiscard]] Result<std::string> device_model();

}  // namespace aliquot
