// What a profile is called that is nothing but a time, and an exit code if it fails: "61", "61-ret3".
#pragma once

#include <string>

#include "tools/sim/decimal.hpp"

namespace aliquot {

[[nodiscard]] inline std::string plain_profile(Duration runtime, int exit_code) {
  return to_text(runtime) + (exit_code == 0 ? "" : "-ret" + std::to_string(exit_code));
}

}  // namespace aliquot
