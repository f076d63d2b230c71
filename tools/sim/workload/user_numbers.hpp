// Numbers the users of a workload. A whole number is the user's number, as in an SWF log; other names are
// numbered in order of appearance from the largest number down, where no log has users. User 0 is "not
// known".
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {

class UserNumbers {
 public:
  std::uint32_t number_of(const std::string& user) {
    if (user.empty()) return 0;
    if (const auto number = parse_count(user, kLargestJobId))
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, UINT32_MAX));
    return number_of_.emplace(user, UINT32_MAX - static_cast<std::uint32_t>(number_of_.size()))
        .first->second;
  }

 private:
  std::map<std::string, std::uint32_t> number_of_;
};

}  // namespace aliquot
