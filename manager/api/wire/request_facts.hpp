// What the records need to know of a request: which client asks, whether it would change something,
// and what.
#pragma once

#include <cstdint>
#include <string>

#include "manager/api/wire/auth.hpp"

namespace aliquot {

struct RequestFacts {
  std::uint32_t uid = 0;
  std::int32_t pid = 0;  // of a local client
  std::string key{};     // of a remote one, with its address
  std::string address{};
  std::string object{};  // "job 12", "node n1", "key laptop"; empty: none is named
  bool changes = false;
};

[[nodiscard]] RequestFacts facts_of(const Credentials& who, const Request& request);

// A dry run changes nothing. What is typed into a terminal counts as part of the `attach` that opened it.
[[nodiscard]] bool changes_something(const Request& request);
[[nodiscard]] std::string object_of(const Request& request);

}  // namespace aliquot
