// Orders of jobs by a number, found without comparing every job with every other: what is left out is
// known by its rank, and only what is close to the border need be put in order.
//
// A smaller key comes first; equal keys go by entry, that is by id.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/model/job.hpp"

namespace aliquot {

struct Ranked {
  std::uint64_t key = 0;
  std::int64_t amount = 0;  // what the job takes of something that is limited; not negative
  std::uint32_t entry = 0;
  friend bool operator<(const Ranked& a, const Ranked& b) {
    return a.key != b.key ? a.key < b.key : a.entry < b.entry;
  }
};

// The key of a job by decreasing priority (dfrs/priority.hpp).
[[nodiscard]] std::uint64_t key_of_priority(double priority);

// Leaves out from the end of the order until the amounts of the rest add up to at most `limit`. Both what
// comes in and what stays stands by increasing entry.
void keep_within(std::vector<Ranked>& jobs, std::int64_t limit);

// From increasing entry to the order itself.
void sort_ranked(std::vector<Ranked>& jobs);

}  // namespace aliquot
