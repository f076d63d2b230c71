#include "monitor/calendar.hpp"

#include <algorithm>

namespace aliquot {
namespace {

constexpr Duration kLongestAbsence = seconds(30 * 86'400);
// 2026-01-01, before the first version of this program.
constexpr std::int64_t kEarliestUnixUs = std::int64_t{1'767'225'600} * kMillion;
constexpr std::int64_t kSameUs = kMillion;  // offsets that differ by less are one

bool is_believed(const ClockRow& row) { return row.offset_us + row.first.raw >= kEarliestUnixUs; }

}  // namespace

Instant resume_at(const std::vector<ClockRow>& past, Instant last, const ClockReading& now) {
  const Instant next{last.raw + 1};
  if (past.empty()) return next;
  const ClockRow& before = past.back();
  if (!now.boot.empty() && now.boot == before.boot)
    return std::max(next, {now.uptime_us - before.uptime_us});
  const Instant by_wall{now.wall_us - before.offset_us};
  return by_wall - last > kLongestAbsence ? next : std::max(next, by_wall);
}

Calendar::Calendar(const std::vector<ClockRow>& rows) {
  for (const ClockRow& row : rows) {
    const bool believed = is_believed(row);
    // Until some row is believed there is nothing better.
    if (!believed && !spans_.empty()) continue;
    if (believed && spans_.size() == 1 && !is_believed(rows.front()))
      spans_.front().offset_us = row.offset_us;
    spans_.push_back({row.first, row.offset_us});
  }
  for (std::size_t i = spans_.size(); i-- > 1;)
    spans_[i - 1].offset_us = std::min(spans_[i - 1].offset_us, spans_[i].offset_us);
  const auto same = [](const Span& a, const Span& b) { return b.offset_us - a.offset_us < kSameUs; };
  spans_.erase(std::unique(spans_.begin(), spans_.end(), same), spans_.end());
}

std::int64_t Calendar::unix_us(Instant instant) const {
  const auto after = std::ranges::upper_bound(spans_, instant, {}, &Span::first);
  if (spans_.empty()) return instant.raw;
  return instant.raw + (after == spans_.begin() ? *after : *std::prev(after)).offset_us;
}

}  // namespace aliquot
