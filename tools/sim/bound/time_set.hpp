// A set of instants: disjoint segments [from, to), in order. What a certificate says is too full.
#pragma once

#include <vector>

#include "policies/model/time.hpp"

namespace aliquot {

struct Segment {
  Instant from;
  Instant to;
  friend bool operator==(const Segment&, const Segment&) = default;
};

class TimeSet {
 public:
  TimeSet() = default;
  // In increasing order, none empty, none before the end of the one before; what touches is joined.
  explicit TimeSet(const std::vector<Segment>& segments);

  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] bool empty() const { return segments_.empty(); }
  [[nodiscard]] Duration length() const { return before(kNever); }
  // How much of it lies in [from, to).
  [[nodiscard]] Duration within(Instant from, Instant to) const { return before(to) - before(from); }

 private:
  [[nodiscard]] Duration before(Instant t) const;

  std::vector<Segment> segments_;
  std::vector<Duration> before_;  // how much of it lies before each segment
};

}  // namespace aliquot
