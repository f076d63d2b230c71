// Where the yields end that tasks can have: what is known of that border while it is searched, and where it
// is worth looking next.
//
// Above it the configuration program is proven to exceed the nodes, below it the program fits. From a proof
// the search leaps down, about as far as the load there is too high: by the secant of the last two loads.
// Once the program fits below, the border is closed in on from both sides. What is known is what was
// proven, wherever the probes are made: a bad leap costs time, never the bound.
#pragma once

#include "policies/model/units.hpp"

namespace aliquot {

struct LevelBorder {
  Yield bound;          // nothing above it fits
  Yield fits;           // here it does; 0 where no such level is known
  Yield proven;         // the lowest level at which it was proven to exceed; at first the bound
  bool tight = true;    // the proof says nothing about `bound` itself; else it is just below `proven`
  bool closed = false;  // the program was seen to fit
  double load = 0;      // at `proven`, of the nodes; 0 before any proof
  double step = 0;      // down from there, to where the load is likely to be 1; 0: nothing tells

  void exceeds_at(Yield level, double load_there);
  void fits_at(Yield level) {
    fits = level;
    closed = true;
  }
  void ends_at(Yield level) {
    bound = level;
    tight = true;
  }
  // Rather than to ask how far down the last proof holds.
  [[nodiscard]] bool leaps() const;
  // Of fits < bound: a level above `fits` if it is closed, up to `bound`.
  [[nodiscard]] Yield next_probe() const;
};

}  // namespace aliquot
