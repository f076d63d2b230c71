// What the names of DYNMCB8 and its variants say: DYNMCB8, DYNMCB8-PER-T, DYNMCB8-ASAP-PER-T and
// DYNMCB8-STRETCH-PER-T, with the options +exact and +match (docs/policies.md).
#pragma once

#include <array>
#include <optional>

#include "policies/grammar.hpp"

namespace aliquot {

struct DynMcb8Spec {
  enum class Variant : std::uint8_t { at_every_event, periodic, asap_periodic, stretch_periodic };

  Variant variant = Variant::at_every_event;
  std::optional<Duration> period{};  // of the periodic variants
  bool exact = false;                // packs at the highest yield that is proven possible, or near it
  bool match = false;                // places the new bins on the hosts that their jobs had
};

[[nodiscard]] const PolicyGrammar<DynMcb8Spec>& grammar_of(DynMcb8Spec::Variant variant);
[[nodiscard]] std::string to_string(const DynMcb8Spec& spec);

}  // namespace aliquot
