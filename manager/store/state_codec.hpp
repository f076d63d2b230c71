// The complete state of the core as JSON and back, exactly: the content of snapshots. Versioned: a snapshot
// of a newer version is refused as unsupported, and text that does not decode exactly as invalid.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "manager/core/state.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Raised when a field changes its meaning, or a new one may not be ignored by an older reader.
inline constexpr int kStateVersion = 1;

// The manager hands the store a snapshot after each so many steps: a restart replays at most so many.
inline constexpr std::uint64_t kSnapshotEvery = 1000;

[[nodiscard]] std::string encode_state(const CoreState& state);
[[nodiscard]] Result<CoreState> decode_state(std::string_view text);

}  // namespace aliquot
