// The known policies as a user types them: a period in the place of the T of their names.
#pragma once

#include <string>
#include <vector>

#include "policies/policy.hpp"

namespace aliquot::test {

inline std::vector<std::string> policy_specs(const std::string& period) {
  std::vector<std::string> specs;
  for (const PolicyInfo& info : known_policies()) {
    std::string spec = info.name;
    if (const auto at = spec.find("-PER-T"); at != std::string::npos) spec.replace(at, 6, "-PER-" + period);
    specs.push_back(spec);
  }
  return specs;
}

}  // namespace aliquot::test
