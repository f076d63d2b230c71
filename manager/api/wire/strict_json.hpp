// Parses untrusted text as JSON, with limits on size, depth and number of values, and refuses invalid UTF-8
// and duplicate keys. Does not interpret the fields; fields.hpp does.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot::wire {

struct JsonBounds {
  std::size_t bytes = 1 << 18;
  std::size_t depth = 8;      // nested arrays and objects
  std::size_t values = 8192;  // all values together, keys included
};

// `what` names the text in messages ("the body"). The top-level value must be an object.
[[nodiscard]] Result<nlohmann::json> parse_object(std::string_view text, std::string_view what,
                                                  const JsonBounds& bounds);

// One line of JSON; invalid UTF-8 is replaced. Never throws.
[[nodiscard]] std::string to_line(const nlohmann::json& value);

}  // namespace aliquot::wire
