#include "tools/sim/option_values.hpp"

namespace aliquot {

Error bad_option(const std::string& option, const std::string& why) {
  return {ErrorKind::invalid_argument, option + ": " + why};
}

Result<std::uint64_t> seed_option(const std::string& option, const std::string& text, std::uint64_t most) {
  const auto value = parse_count(text, most);
  if (!value) return tl::unexpected(bad_option(option, value.error().message));
  return *value;
}

Result<std::uint64_t> count_option(const std::string& option, const std::string& text, std::uint64_t most) {
  const auto value = seed_option(option, text, most);
  if (value && *value == 0) return tl::unexpected(bad_option(option, "must be at least 1"));
  return value;
}

Result<Decimal> number_option(const std::string& option, const std::string& text, Decimal most) {
  const auto value = parse_decimal(text);
  if (!value) return tl::unexpected(bad_option(option, value.error().message));
  if (value->pico < 0) return tl::unexpected(bad_option(option, "'" + text + "' is negative"));
  if (*value > most)
    return tl::unexpected(bad_option(option, "'" + text + "' is more than " + to_text(most)));
  return *value;
}

}  // namespace aliquot
