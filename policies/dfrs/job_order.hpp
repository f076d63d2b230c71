// Orders of jobs by a number, found without comparing every job with every other: what is left out is
// known by its rank, and only what is close to the border need be put in order.
//
// A smaller key comes first; equal keys go by entry, that is by id. T has `key` and `entry`.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

namespace aliquot {

// By decreasing priority (dfrs/priority.hpp): the bits of a double that is not negative order as it does.
[[nodiscard]] inline std::uint64_t key_of_priority(double priority) {
  return ~std::bit_cast<std::uint64_t>(priority);
}

struct KeySpan {
  std::uint64_t low = UINT64_MAX;
  std::uint64_t high = 0;
  void include(std::uint64_t key) {
    low = std::min(low, key);
    high = std::max(high, key);
  }
};

template <class A, class B>
[[nodiscard]] bool comes_before(const A& a, const B& b) {
  return a.key != b.key ? a.key < b.key : a.entry < b.entry;
}

namespace ranking {

inline constexpr std::size_t kFew = 48;      // are sorted by comparing
inline constexpr std::size_t kModest = 400;  // are sorted faster by comparing than digit by digit
inline constexpr int kFewBits = 6;           // of a digit that tells few jobs from each other
inline constexpr int kManyBits = 11;

template <class T>
[[nodiscard]] KeySpan span_of(const std::pmr::vector<T>& jobs) {
  KeySpan span;
  for (const T& job : jobs) span.include(job.key);
  return span;
}

// Digits of a key, counted from the lowest key there is.
template <int bits>
struct Digit {
  static constexpr std::size_t kCount = std::size_t{1} << bits;
  std::uint64_t low;
  int shift;
  // The highest digit of the span.
  static Digit first(const KeySpan& span) {
    return {span.low, std::max(0, static_cast<int>(std::bit_width(span.high - span.low)) - bits)};
  }
  template <class T>
  std::size_t operator()(const T& job) const {
    return ((job.key - low) >> shift) % kCount;
  }
};

// The first job of the order that does not fit within the limit; the amounts of all exceed it.
template <int bits, class T, class Amount>
[[nodiscard]] T first_beyond(const std::pmr::vector<T>& all, const KeySpan& span, std::int64_t limit,
                             const Amount& amount) {
  using Bucket = Digit<bits>;
  const Bucket bucket = Bucket::first(span);
  std::array<std::int64_t, Bucket::kCount> amounts{};
  for (const T& job : all) amounts[bucket(job)] += amount(job);
  std::size_t border = 0;
  while (amounts[border] <= limit) limit -= amounts[border++];
  std::pmr::vector<T> close(all.get_allocator());
  for (const T& job : all) {
    if (bucket(job) == border) close.push_back(job);
  }
  const KeySpan rest = span_of(close);
  if (close.size() > kFew && rest.low < rest.high) {
    return first_beyond<kFewBits>(close, rest, limit, amount);
  }
  std::sort(close.begin(), close.end(), comes_before<T, T>);
  std::size_t at = 0;
  for (std::int64_t next = 0; (next = amount(close[at])) <= limit; ++at) limit -= next;
  return close[at];
}

}  // namespace ranking

// Only those that come before `border`.
template <class T, class Border>
void keep_before(std::pmr::vector<T>& jobs, const Border& border) {
  const std::uint64_t key = border.key;
  const std::uint32_t entry = border.entry;
  T* kept = jobs.data();
  const T* const end = kept + jobs.size();
  for (const T* job = kept; job < end; ++job) {  // without branches: nobody could foretell them
    const bool stays = (job->key < key) | ((job->key == key) & (job->entry < entry));
    *kept = *job;
    kept += stays ? 1 : 0;
  }
  jobs.resize(static_cast<std::size_t>(kept - jobs.data()));
}

// Leaves out from the end of the order until the amounts of the rest add up to at most `limit`; those of
// all exceed it. amount(job) is what it takes of something that is limited, not negative. Both what comes
// in and what stays stands by increasing entry.
template <class T, class Amount>
void keep_within(std::pmr::vector<T>& jobs, const KeySpan& span, std::int64_t limit, const Amount& amount) {
  keep_before(jobs, jobs.size() > ranking::kModest
                        ? ranking::first_beyond<ranking::kManyBits>(jobs, span, limit, amount)
                        : ranking::first_beyond<ranking::kFewBits>(jobs, span, limit, amount));
}

namespace ranking {

// Puts those together that have this digit, in increasing digits. `at`: how many have each.
template <class T, class Digit>
void gather(std::pmr::vector<T>& jobs, std::pmr::vector<T>& next, const Digit& digit,
            std::array<std::uint32_t, Digit::kCount>& at) {
  std::uint32_t sum = 0;
  for (std::uint32_t& count : at) sum += std::exchange(count, sum);
  for (const T& job : jobs) next[at[digit(job)]++] = job;
  std::swap(jobs, next);
}

// Each is moved no farther than to the beginning of its digit.
template <class T>
void put_right(std::pmr::vector<T>& jobs) {
  for (std::size_t k = 1; k < jobs.size(); ++k) {
    if (!comes_before(jobs[k], jobs[k - 1])) continue;
    const T job = jobs[k];
    std::size_t to = k;
    for (; to > 0 && comes_before(job, jobs[to - 1]); --to) jobs[to] = jobs[to - 1];
    jobs[to] = job;
  }
}

// A few, from increasing entry: each is put before all that have a larger key. Equal keys are never
// exchanged, and so go by entry.
template <class T>
void insert_few(std::pmr::vector<T>& jobs) {
  T* const first = jobs.data();
  T* const end = first + jobs.size();
  for (T* next = first; next < end; ++next) {
    const T job = *next;
    T* to = next;
    for (; to > first && to[-1].key > job.key; --to) *to = to[-1];
    *to = job;
  }
}

}  // namespace ranking

// From increasing entry to the order itself. Where the highest digit tells most from each other, they are
// gathered by that and put right; else digit by digit from the lowest, and digits in which no two keys
// differ are left out.
template <class T>
void sort_by_key(std::pmr::vector<T>& jobs) {
  constexpr int kBits = ranking::kManyBits;
  constexpr std::uint64_t kAlike = 16;  // who has the same digit, on average
  using Digit = ranking::Digit<kBits>;
  using Counts = std::array<std::uint32_t, Digit::kCount>;
  if (jobs.size() <= ranking::kFew / 2) return ranking::insert_few(jobs);
  if (jobs.size() <= ranking::kModest) return std::sort(jobs.begin(), jobs.end(), comes_before<T, T>);
  const KeySpan span = ranking::span_of(jobs);
  const auto bits = static_cast<int>(std::bit_width(span.high - span.low));
  if (bits == 0) return;
  std::pmr::vector<T> next(jobs.size(), jobs.get_allocator());
  const auto counts_of = [&](const Digit& digit) {
    Counts counts{};
    for (const T& job : jobs) ++counts[digit(job)];
    return counts;
  };
  const Digit highest = Digit::first(span);
  Counts counts = counts_of(highest);
  std::uint64_t pairs = 0;
  for (const std::uint64_t count : counts) pairs += count * count;
  if (highest.shift > 0 && pairs <= kAlike * jobs.size()) {
    ranking::gather(jobs, next, highest, counts);
    return ranking::put_right(jobs);
  }
  for (Digit digit{span.low, 0}; digit.shift < bits; digit.shift += kBits) {
    counts = counts_of(digit);
    if (*std::max_element(counts.begin(), counts.end()) == jobs.size()) continue;
    ranking::gather(jobs, next, digit, counts);
  }
}

// The order read from its end, put in order only as far as it is asked for.
template <class T>
class OrderFromEnd {
 public:
  explicit OrderFromEnd(std::pmr::vector<T> jobs) : jobs_(std::move(jobs)), sorted_from_(jobs_.size()) {}

  [[nodiscard]] std::size_t size() const { return jobs_.size(); }
  [[nodiscard]] const T& operator[](std::size_t rank) {
    if (rank < sorted_from_) sort_from(rank);
    return jobs_[rank];
  }

 private:
  // Three times as far again: each step costs as much as what is left unsorted.
  void sort_from(std::size_t rank) {
    const std::size_t reach = std::max(4 * (jobs_.size() - rank), ranking::kModest / 4);
    const std::size_t from = jobs_.size() > reach ? jobs_.size() - reach : 0;
    const auto begin = jobs_.begin();
    const auto middle = begin + static_cast<std::ptrdiff_t>(from);
    const auto end = begin + static_cast<std::ptrdiff_t>(sorted_from_);
    if (from > 0) std::nth_element(begin, middle, end, comes_before<T, T>);
    std::sort(middle, end, comes_before<T, T>);
    sorted_from_ = from;
  }

  std::pmr::vector<T> jobs_;
  std::size_t sorted_from_;  // from here on they are in order, and all others come before
};

}  // namespace aliquot
