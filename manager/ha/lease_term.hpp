// How long a lease is surely held: pure, the clock is passed in.
//
// etcd ends a lease when it has heard of no renewal for the lease's time. It heard of each renewal after
// that was sent; so the lease is held at least until its time after the sending of a renewal that was
// granted. A margin is taken off for clocks that run unequally fast. The clock must count while the machine
// is suspended (CLOCK_BOOTTIME); one that went back says nothing any more.
#pragma once

#include "policies/model/time.hpp"

namespace aliquot::ha {

class LeaseTerm {
 public:
  // All instants are durations since the boot of the machine.
  LeaseTerm(Duration sent, Duration ttl) { renewed(sent, ttl); }

  // A renewal that was sent at this instant has been granted for so long.
  void renewed(Duration sent, Duration ttl) {
    sent_ = sent;
    end_ = sent + ttl - margin(ttl);
  }
  [[nodiscard]] bool surely_held(Duration now) const { return sent_ <= now && now < end_; }
  // Without a further renewal.
  [[nodiscard]] Duration end() const { return end_; }

  [[nodiscard]] static Duration margin(Duration ttl) { return Duration{ttl.raw / 10}; }

 private:
  Duration sent_;
  Duration end_;
};

}  // namespace aliquot::ha
