// The priority of a job: max(30 s, flow time) / (virtual time)^2, infinite for a job that has not yet
// been given any CPU time; ties break by id, the earlier job first (DFRS, III-A). Jobs are considered for
// pausing in increasing and for resuming in decreasing order of it. With fair share it is multiplied by
// the weight of the job; of two infinite ones, the job of the larger weight comes first.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <utility>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

// Seconds.
[[nodiscard]] inline double priority(double flow_time, double virtual_time) {
  if (!(virtual_time > 0)) return std::numeric_limits<double>::infinity();
  return std::max(to_seconds(kStretchBound), flow_time) / (virtual_time * virtual_time);
}
[[nodiscard]] inline double priority(const Job& job, Instant now) {
  return factor_of(job.demand.weight) *
         priority(to_seconds(now - job.submitted), job.progress.at(now).to_seconds());
}

// These entries of the draft, the highest priority first.
[[nodiscard]] std::vector<std::size_t> by_decreasing_priority(const Draft& draft,
                                                              std::vector<std::size_t> entries);

// --- Jobs in the order of a key, for decisions over many thousands of jobs: sorted in linear time ---
//
// A smaller key comes first; jobs of equal keys are in the order of their entries, that is of their ids. T
// has the members `key` and `entry`.

// The key of the order by decreasing priority: the bits of a double that is not negative are in the order
// of its value.
[[nodiscard]] inline std::uint64_t key_of_priority(double priority) {
  return ~std::bit_cast<std::uint64_t>(priority);
}
// Infinite priorities lie apart by the weights of their jobs: all above those that are finite, since no
// weight is large.
[[nodiscard]] inline std::uint64_t key_of_priority(const Job& job, Instant now) {
  const double its = priority(job, now);
  if (its < std::numeric_limits<double>::infinity()) return key_of_priority(its);
  return key_of_priority(its) - static_cast<std::uint64_t>(job.demand.weight.raw - Weight{}.raw);
}

template <class A, class B>
[[nodiscard]] bool comes_before(const A& a, const B& b) {
  return a.key != b.key ? a.key < b.key : a.entry < b.entry;
}

// Keeps the jobs that come before `first_out`.
template <class T, class Job>
void keep_before(std::pmr::vector<T>& jobs, const Job& first_out) {
  std::erase_if(jobs, [&](const T& job) { return !comes_before(job, first_out); });
}

// Sorts jobs that come by increasing entry: by comparing, or, where there are many, digit by digit from the
// lowest.
template <class T>
void sort_by_key(std::pmr::vector<T>& jobs) {
  constexpr std::size_t kMany = 400;
  constexpr int kDigitBits = 11;
  if (jobs.size() <= kMany) return std::sort(jobs.begin(), jobs.end(), comes_before<T, T>);
  const auto [least, most] =
      std::minmax_element(jobs.begin(), jobs.end(), [](const T& a, const T& b) { return a.key < b.key; });
  const std::uint64_t low = least->key;
  const int bits = static_cast<int>(std::bit_width(most->key - low));
  std::pmr::vector<T> next(jobs.size(), jobs.get_allocator());
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const auto digit = [&](const T& job) { return ((job.key - low) >> shift) % (1U << kDigitBits); };
    std::array<std::uint32_t, 1U << kDigitBits> at{};
    for (const T& job : jobs) ++at[digit(job)];
    if (*std::max_element(at.begin(), at.end()) == jobs.size()) continue;  // all alike
    std::uint32_t sum = 0;
    for (std::uint32_t& count : at) sum += std::exchange(count, sum);
    for (const T& job : jobs) next[at[digit(job)]++] = job;
    std::swap(jobs, next);
  }
}

// Drops jobs from the end of the order until the amounts of the rest add up to at most `limit`; the amounts
// of all exceed it. amount(job) is not negative. The jobs come by increasing entry, and stay so.
template <class T, class Amount>
void keep_within(std::pmr::vector<T>& jobs, std::int64_t limit, const Amount& amount) {
  std::pmr::vector<T> order = jobs;
  sort_by_key(order);
  auto first_out = order.begin();
  while ((limit -= amount(*first_out)) >= 0) ++first_out;
  keep_before(jobs, *first_out);
}

}  // namespace aliquot
