// Reads what a policy remembers (PolicyMemory::state) back from the text of a store or a journal.
#pragma once

#include <memory>
#include <string_view>

#include "policies/model/policy_state.hpp"

namespace aliquot {

// The value that encodes to exactly this text; null for an empty one. A text that no policy recognises
// becomes a TextState, so that whatever was stored is stored again unchanged.
[[nodiscard]] std::shared_ptr<const PolicyState> decode_policy_state(std::string_view text);

}  // namespace aliquot
