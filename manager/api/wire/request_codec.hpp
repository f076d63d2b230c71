// Converts method and body to a Request and back; one table row for each method. protocol.cpp handles the
// frames.
#pragma once

#include <string>
#include <string_view>

#include "manager/api/wire/request.hpp"
#include "policies/model/error.hpp"

namespace aliquot::wire {

struct Payload {
  std::string body;  // JSON object
  std::string blob;  // empty: none
};

[[nodiscard]] Result<Request> decode_payload(const std::string& method, Payload payload);
[[nodiscard]] Payload encode_payload(const Request& request);

}  // namespace aliquot::wire
