// Job arrays: many jobs that are submitted as one and differ in their index.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "policies/model/id.hpp"

namespace aliquot {

// `count` indices from `first` on, each greater than the one before by `step`.
struct IndexRun {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint32_t step = 1;
  [[nodiscard]] bool contains(std::uint32_t index) const {
    return index >= first && (index - first) % step == 0 && (index - first) / step < count;
  }
  friend bool operator==(const IndexRun&, const IndexRun&) = default;
};
// By increasing index, none of them twice; each run ends before the next begins.
using IndexSet = std::vector<IndexRun>;

inline constexpr std::uint32_t kMostIndices = 100'000;         // of one array
inline constexpr std::uint32_t kLargestIndex = 2'147'483'647;  // 2^31 - 1
inline constexpr std::size_t kMostIndexRuns = 1000;            // of one array
inline constexpr std::uint32_t kMostMembersAtOnce = 1000;      // of one array, whatever its throttle is

[[nodiscard]] bool contains(const IndexSet& set, std::uint32_t index);
[[nodiscard]] std::uint32_t count_of(const IndexSet& set);
// The index with so many smaller ones in the set; there must be one.
[[nodiscard]] std::uint32_t index_at(const IndexSet& set, std::uint32_t position);
// All that are in the set, but for so many of the smallest.
[[nodiscard]] std::vector<std::uint32_t> indices_from(const IndexSet& set, std::uint32_t position);
// Whether it keeps these bounds and is in order, and has an index.
[[nodiscard]] bool is_sound(const IndexSet& set);
// These indices, in any order and as often as they may be.
[[nodiscard]] IndexSet index_set(std::vector<std::uint32_t> indices);

// What makes a submission one of an array.
struct ArrayTerms {
  IndexSet indices{};         // at least one
  std::uint32_t at_once = 0;  // so many members may stand at any time; 0: kMostMembersAtOnce
  friend bool operator==(const ArrayTerms&, const ArrayTerms&) = default;
};
// Of a job that an array has made.
struct ArrayMember {
  JobId array;
  std::uint32_t index = 0;
  friend bool operator==(const ArrayMember&, const ArrayMember&) = default;
};

// How many members may stand at any time: have been made and have not ended.
[[nodiscard]] inline std::uint32_t most_at_once(const ArrayTerms& terms) {
  return terms.at_once == 0 ? kMostMembersAtOnce : std::min(terms.at_once, kMostMembersAtOnce);
}

}  // namespace aliquot
