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

// The blob must be there if the body names one; it is neither copied nor hashed.
[[nodiscard]] Result<Request> decode_payload(const std::string& method, std::string_view body,
                                             std::string_view blob);
[[nodiscard]] Payload encode_payload(const Request& request);

}  // namespace aliquot::wire
