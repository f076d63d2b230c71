// Text from outside -> JSON, with every bound checked first: size, depth, number of values, UTF-8,
// duplicate keys. Neither a schema nor a request: what the fields mean is fields.hpp's business.
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

// `what` names the text in messages ("the body"). The outermost value must be an object.
[[nodiscard]] Result<nlohmann::json> parse_object(std::string_view text, std::string_view what,
                                                  const JsonBounds& bounds);

// One line of JSON; bytes that are no UTF-8 are replaced, never an exception.
[[nodiscard]] std::string to_line(const nlohmann::json& value);

}  // namespace aliquot::wire
