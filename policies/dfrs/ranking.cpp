#include "policies/dfrs/ranking.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace aliquot {

namespace {

constexpr std::size_t kFew = 48;
constexpr int kDigit = 8;  // bits
constexpr std::size_t kBuckets = 1 << kDigit;

struct KeySpan {
  std::uint64_t low;
  std::uint64_t high;
};

KeySpan span_of(const std::vector<Ranked>& jobs) {
  KeySpan span{jobs.front().key, jobs.front().key};
  for (const Ranked& job : jobs) {
    span.low = std::min(span.low, job.key);
    span.high = std::max(span.high, job.key);
  }
  return span;
}

// The first job of the order that does not fit within the limit; the amounts of all exceed it.
Ranked first_beyond(std::vector<Ranked> jobs, std::int64_t limit) {
  std::array<std::int64_t, kBuckets> amounts;
  for (;;) {
    const KeySpan span = span_of(jobs);
    if (jobs.size() <= kFew || span.low == span.high) break;
    const int shift = std::max(0, static_cast<int>(std::bit_width(span.high - span.low)) - kDigit);
    const auto bucket = [&](const Ranked& job) { return (job.key - span.low) >> shift; };
    amounts.fill(0);
    for (const Ranked& job : jobs) amounts[bucket(job)] += job.amount;
    std::size_t border = 0;
    while (amounts[border] <= limit) limit -= amounts[border++];
    std::erase_if(jobs, [&](const Ranked& job) { return bucket(job) != border; });
  }
  std::sort(jobs.begin(), jobs.end());
  std::size_t at = 0;
  while (jobs[at].amount <= limit) limit -= jobs[at++].amount;
  return jobs[at];
}

}  // namespace

std::uint64_t key_of_priority(double priority) { return ~std::bit_cast<std::uint64_t>(priority); }

void keep_within(std::vector<Ranked>& jobs, std::int64_t limit) {
  Int128 sum = 0;
  for (const Ranked& job : jobs) sum += job.amount;
  if (sum <= limit) return;
  const Ranked border = first_beyond(jobs, limit);
  std::erase_if(jobs, [&](const Ranked& job) { return !(job < border); });
}

void sort_ranked(std::vector<Ranked>& jobs) {
  if (jobs.size() <= kFew) return std::sort(jobs.begin(), jobs.end());
  // Digit by digit from the lowest; digits in which no two keys differ are left out.
  const KeySpan span = span_of(jobs);
  const auto bits = static_cast<int>(std::bit_width(span.high - span.low));
  std::vector<Ranked> next(jobs.size());
  for (int shift = 0; shift < bits; shift += kDigit) {
    std::array<std::uint32_t, kBuckets> at{};
    const auto digit = [&](const Ranked& job) { return ((job.key - span.low) >> shift) % kBuckets; };
    for (const Ranked& job : jobs) ++at[digit(job)];
    if (*std::max_element(at.begin(), at.end()) == jobs.size()) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& count : at) sum += std::exchange(count, sum);
    for (const Ranked& job : jobs) next[at[digit(job)]++] = job;
    std::swap(jobs, next);
  }
}

}  // namespace aliquot
