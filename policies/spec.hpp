// The names of policies: text <-> PolicySpec, both ways.
//
// A name is one of the papers' own, case and all; the periodic ones end in their period in whole seconds
// (read as 600 when left out); options follow after `+`. to_string gives the one canonical form, without
// spaces and always with its numbers, and parse_spec reads it back to an equal spec.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

enum class Algorithm : std::uint8_t {
  fcfs,
  easy,
  easy_legacy,
  conservative,
  greedy,
  greedy_pmtn,
  greedy_pmtn_migr,
  dynmcb8,
  dynmcb8_per,
  dynmcb8_asap_per,
  dynmcb8_stretch_per,
  best_fit,  // from here on: policies that place devices
  dot_product,
  fgd,
  fgd_fill,
};

struct PolicySpec {
  Algorithm algorithm = Algorithm::fcfs;
  std::optional<Duration> period;  // exactly where the algorithm has one
  bool exact = false;              // `+exact`: the packing proven best, or near it
  bool match = false;              // `+match`: new bins on old hosts
  friend bool operator==(const PolicySpec&, const PolicySpec&) = default;
};

struct AlgorithmRow {
  Algorithm algorithm;
  std::string_view name;  // without period and options
  bool periodic;
  bool may_match;
  bool may_be_exact;
  std::string_view summary;
  std::string_view source;
};

inline constexpr std::size_t kLongestSpec = 200;
inline constexpr Duration kDefaultPeriod = seconds(600);
inline constexpr Duration kLongestPeriod = seconds(366 * 86'400);

// In the order of the paper.
[[nodiscard]] const std::vector<AlgorithmRow>& algorithms();

[[nodiscard]] Result<PolicySpec> parse_spec(std::string_view text);
[[nodiscard]] std::string to_string(const PolicySpec& spec);

}  // namespace aliquot
