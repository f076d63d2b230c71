// The options that `run` and `evaluate power` share: what nodes draw, how long they take to boot, and how
// careful the power rule is. As typed they are texts; errors name the option.
#pragma once

#include <string>

#include "policies/model/error.hpp"
#include "policies/power/settings.hpp"

namespace CLI {
class App;
}

namespace aliquot {

struct TypedPower {
  std::string boot = "20", switch_off = "5", minimum_on = "120", reserve = "2", caution = "1";
  std::string idle = "95", full = "190", asleep = "10";
};

void add_power_options(CLI::App& command, TypedPower& typed);
// The rule is left as it is by default.
[[nodiscard]] Result<power::PowerSettings> power_settings(const TypedPower& typed);

}  // namespace aliquot
