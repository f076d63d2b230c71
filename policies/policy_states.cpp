#include "policies/policy_states.hpp"

#include "policies/aliquot/policy_state.hpp"
#include "policies/placement/window_state.hpp"

namespace aliquot {

namespace {

// One row for each type of state; null: the text is of another type.
using Decode = std::shared_ptr<const PolicyState> (*)(std::string_view);
constexpr Decode kDecoders[] = {AliquotState::decode, WindowState::decode};

}  // namespace

std::shared_ptr<const PolicyState> decode_policy_state(std::string_view text) {
  if (text.empty()) return nullptr;
  for (const Decode decode : kDecoders) {
    if (auto state = decode(text); state && state->encode() == text) return state;
  }
  return std::make_shared<TextState>(std::string(text));
}

}  // namespace aliquot
