// What has been learned of arrivals: per hour of the week, how many nodes' worth of jobs is submitted, and
// how unevenly. Jobs come as a compound Poisson process whose rate and sizes depend on the hour alone: over
// a span of time, the sum of the sizes has the mean (rate x span x mean size) and the variance (rate x span
// x mean squared size).
//
// A size is how many nodes the tasks of a job fill at full speed (job_share), in hundredths of a node.
// Every week counts less than the one after it. A bounded value: 168 hours, whatever happens. Hours are
// counted from Instant{}, so a start in another time zone changes nothing.
#pragma once

#include <array>
#include <cstdint>

#include "policies/model/time.hpp"

namespace aliquot::power {

// Hundredths of a node.
using NodeShare = Quantity<struct NodeShareTag>;
constexpr NodeShare whole_nodes(std::int64_t n) { return {n * 100}; }
// Rounds up.
constexpr std::int64_t nodes_for(NodeShare share) { return (share.raw + 99) / 100; }

inline constexpr std::size_t kHoursOfWeek = 168;
inline constexpr Duration kHour = seconds(3'600);

// What was observed in one hour of the week.
struct ObservedHour {
  std::int64_t observed = 0;  // hours, in thousandths
  std::int64_t sum = 0;       // of sizes
  std::int64_t squares = 0;   // of sizes squared
  friend bool operator==(const ObservedHour&, const ObservedHour&) = default;
};

class ArrivalStatistics {
 public:
  using Hours = std::array<ObservedHour, kHoursOfWeek>;

  ArrivalStatistics() = default;
  // As hours() and newest_hour() told it (memory_text.hpp).
  ArrivalStatistics(const Hours& hours, std::int64_t newest_hour) : hours_(hours), begun_(newest_hour) {}

  // Time goes on: hours that have begun since count as observed.
  void advance(Instant now);
  // Nothing was observed until now: the hours that have passed meanwhile teach nothing.
  void skip_to(Instant now);
  // A job of this size was submitted; advance() first.
  void add(Instant now, NodeShare size);

  // The mean of what arrives within `span` from `from` on, and so many hundredths of its standard deviation
  // more. An hour of the week that was not observed yet counts as the average of the others.
  [[nodiscard]] NodeShare expected(Instant from, Duration span, std::int64_t deviations) const;

  [[nodiscard]] const Hours& hours() const { return hours_; }
  // Since Instant{}: the one that is being observed; -1: none was.
  [[nodiscard]] std::int64_t newest_hour() const { return begun_; }

  friend bool operator==(const ArrivalStatistics&, const ArrivalStatistics&) = default;

 private:
  [[nodiscard]] ObservedHour average() const;

  Hours hours_{};
  std::int64_t begun_ = -1;
};

}  // namespace aliquot::power
