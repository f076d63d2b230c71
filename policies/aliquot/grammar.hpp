// The names of ALIQUOT: text <-> AliquotSpec, both ways.
//
//   ALIQUOT[:option=value[,option=value]...]
//
// Without options it is the policy as it is meant to be used. Each option turns a part of it off or changes
// its one number, so that the worth of the part can be measured (docs/policy.md). The options may come in
// any order; to_string gives the one canonical form, which names only what differs from that, and
// parse_aliquot reads it back to an equal spec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policies/dfrs/priority.hpp"
#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

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

// Meant as a name of this policy, right or wrong.
[[nodiscard]] bool looks_aliquot(std::string_view text);

[[nodiscard]] Result<AliquotSpec> parse_aliquot(std::string_view text);
[[nodiscard]] std::string to_string(const AliquotSpec& spec);

}  // namespace aliquot
