// Options of the command line into values: typed as texts, so that numbers are read exactly and refused
// clearly. Errors name the option.
#pragma once

#include <string>

#include "tools/sim/decimal.hpp"

namespace aliquot {

[[nodiscard]] Error bad_option(const std::string& option, const std::string& why);
// In [1, most].
[[nodiscard]] Result<std::uint64_t> count_option(const std::string& option, const std::string& text,
                                                 std::uint64_t most);
// In [0, most].
[[nodiscard]] Result<std::uint64_t> seed_option(const std::string& option, const std::string& text,
                                                std::uint64_t most);
// In [0, most].
[[nodiscard]] Result<Decimal> number_option(const std::string& option, const std::string& text,
                                            Decimal most);

}  // namespace aliquot
