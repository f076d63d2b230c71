// What a name of ALIQUOT says.
//
//   ALIQUOT[:option=value[,option=value]...]
//
// Without options it is the policy as it is meant to be used. Each option turns a part of it off or changes
// its one number, so that the benefit of the part can be measured (docs/policy.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policies/dfrs/priority.hpp"
#include "policies/grammar.hpp"

namespace aliquot {

// When all jobs are packed anew where that gains: never, where an action costs nothing, or always.
enum class Repack : std::uint8_t { off, where_free, on };

struct AliquotSpec {
  bool pause = true;   // a new job may pause others
  bool urgent = true;  // a paused job that has waited long may pause others
  bool fair = false;   // yields by the paper's rules instead of by predicted stretch
  bool local = true;   // one job at a time is moved off the worst node
  bool hurry = true;   // while somebody waits, who would lose most by a pause is to end sooner
  bool budget = true;  // moves and pauses are limited by submissions
  Repack repack = Repack::where_free;
  Yield floor{300'000};                // of the fair share of its fullest node that every job gets; 0: none
  std::optional<Duration> cost;        // of an action, believed; none: as the view says,
  std::int64_t cost_percent = 100;     // or so much of it
  Duration short_job = kStretchBound;  // who runs for less is taken to run for so long

  friend bool operator==(const AliquotSpec&, const AliquotSpec&) = default;
};

[[nodiscard]] const PolicyGrammar<AliquotSpec>& aliquot_grammar();
[[nodiscard]] std::string to_string(const AliquotSpec& spec);

}  // namespace aliquot
