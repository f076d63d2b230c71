// What a policy remembers from one decision to the next, beside retries and reservations: an immutable
// value of a type of the policy's own. The value comes with the view and goes back with the plan. Only
// store and journal turn it into text: encode() here, decode_policy_state() in policies/policy.hpp back.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace aliquot {

class PolicyState {
 public:
  PolicyState() = default;
  PolicyState(const PolicyState&) = default;
  PolicyState& operator=(const PolicyState&) = default;
  virtual ~PolicyState() = default;

  // One line that decodes to an equal value, never empty. Equal values have equal texts.
  [[nodiscard]] virtual std::string encode() const = 0;
};

// A state that no policy of this program recognises: what an exec: program remembers, or the text of an
// unknown version. It is kept as it was read.
class TextState : public PolicyState {
 public:
  explicit TextState(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] std::string encode() const override { return text_; }

 private:
  std::string text_;
};

// The text of a state; empty if nothing is remembered.
[[nodiscard]] inline std::string encode_policy_state(const std::shared_ptr<const PolicyState>& state) {
  return state ? state->encode() : std::string();
}

}  // namespace aliquot
