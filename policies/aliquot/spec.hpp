// The options of ALIQUOT as text, both ways:
//
//   ALIQUOT[:option=value[,option=value]...]
//
// Without options it is the policy as it is meant to be used. Each option turns a part of it off or changes
// the one number of a part, so that the part can be measured (docs/policy.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policies/dfrs/priority.hpp"
#include "policies/grammar.hpp"

namespace aliquot {

// When a repacking is tried: never, where actions cost nothing, or always.
enum class Repack : std::uint8_t { off, where_free, on };

struct AliquotSpec {
  bool pause = true;   // a pending job may preempt others
  bool urgent = true;  // a preempted job that has waited long may preempt others
  bool fair = false;   // yields by the paper's rules instead of by predicted stretch
  bool local = true;   // rebalancing: one job at a time leaves the worst node
  bool hurry = true;  // waiting pressure: jobs that would lose most by a pause end sooner while others wait
  bool budget = true;  // a token bucket limits moves and pauses
  Repack repack = Repack::where_free;
  Yield floor{300'000};                // the part of the fair share of its fullest node that every job gets
  std::optional<Duration> cost;        // of an action, whatever the view says; none: as the view says,
  std::int64_t cost_percent = 100;     // or this percentage of it
  Duration short_job = kStretchBound;  // every job is expected to run for this long at least

  friend bool operator==(const AliquotSpec&, const AliquotSpec&) = default;
};

[[nodiscard]] const PolicyGrammar<AliquotSpec>& aliquot_grammar();
[[nodiscard]] std::string to_string(const AliquotSpec& spec);

}  // namespace aliquot
