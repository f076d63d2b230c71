// The whole state of the core as JSON and back, to the last bit: what a snapshot is made of. Versioned;
// a snapshot of a newer version is refused as unsupported, anything that is not exact as invalid.
#pragma once

#include <string>
#include <string_view>

#include "manager/core/state.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Raised when a field changes its meaning, or a new one may not be ignored by an older reader.
inline constexpr int kStateVersion = 1;

[[nodiscard]] std::string encode_state(const CoreState& state);
[[nodiscard]] Result<CoreState> decode_state(std::string_view text);

}  // namespace aliquot
