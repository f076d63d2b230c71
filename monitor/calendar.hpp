// The dates of Instants, and where the manager's time continues after a start.
//
// Instants count on through all runs of the manager. Each run has a row that says how its Instants relate
// to the wall clock and to the uptime of the machine. While the machine has not been booted anew, its
// uptime says how long the manager was away, whatever the wall clock says; otherwise the wall clock does. A
// wrong wall clock shifts dates only for as long as it is wrong: the row of the present run follows the
// clock, and rows that contradict a later one give way to it. Pure; microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "policies/model/time.hpp"

namespace aliquot {

// One run of the manager: an epoch of its store.
struct ClockRow {
  std::uint64_t epoch = 0;
  Instant first;               // of the run
  std::int64_t offset_us = 0;  // the wall clock (Unix time) minus the Instant
  std::string boot;            // identity of the boot of the machine; empty: not known
  std::int64_t uptime_us = 0;  // of the machine, minus the Instant
  friend bool operator==(const ClockRow&, const ClockRow&) = default;
};

// What the machine says at one moment.
struct ClockReading {
  std::int64_t wall_us = 0;  // Unix time
  std::string boot;
  std::int64_t uptime_us = 0;
};

// The first Instant of a run that begins now, after `past` runs (oldest first) of which `last` was the last
// Instant. After a boot, an absence that the wall clock gives as longer than 30 days does not count: such a
// clock is wrong, now or before.
[[nodiscard]] Instant resume_at(const std::vector<ClockRow>& past, Instant last, const ClockReading& now);

class Calendar {
 public:
  Calendar() = default;
  // One row for all Instants.
  explicit Calendar(std::int64_t born_unix_us) : spans_{{{}, born_unix_us}} {}
  // Of all runs, oldest first. The clock of a row is not believed if it is before 2026, or if its dates are
  // later than those of the next row.
  explicit Calendar(const std::vector<ClockRow>& rows);

  // From `first` on, up to the next span, the wall clock is so much later than the Instant.
  struct Span {
    Instant first;
    std::int64_t offset_us = 0;
    friend bool operator==(const Span&, const Span&) = default;
  };
  // As another calendar has them.
  explicit Calendar(std::vector<Span> spans) : spans_(std::move(spans)) {}

  [[nodiscard]] std::int64_t unix_us(Instant instant) const;
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

 private:
  std::vector<Span> spans_;
};

}  // namespace aliquot
