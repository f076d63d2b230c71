// Where the yields end that tasks can have: what is known of that border while it is searched, and where it
// is worth looking next.
//
// Above it the configuration program is proven to exceed the nodes, below it the program fits. The first
// probe is made where the border is likely to be, and from a proof the search leaps down, about as far as
// the load there is too high: by the secant of the last two loads. Once the program fits below, it climbs
// by patterns that fit still higher until none is left: the proof of that is the last. What is known is
// what was proven, wherever the probes are made: a bad leap costs time, never the bound.
#pragma once

#include "policies/model/units.hpp"

namespace aliquot {

struct LevelBorder {
  Yield bound;        // nothing above it fits
  Yield fits;         // here it does; 0 where no such level is known
  Yield proven;       // the lowest level at which it was proven to exceed; at first the bound
  bool tight = true;  // the proof says nothing about `bound` itself; else it is just below `proven`
  double load = 0;    // at `proven`, of the nodes; 0 before any proof
  double step = 0;    // down from there, to where the load is likely to be 1; 0: nothing tells
  int rises = 0;      // of `fits`, since the last proof

  // Where patterns of simple lists come to `load` at the bound.
  [[nodiscard]] Yield first_probe(double listed_load, Yield least) const;
  void exceeds_at(Yield level, double load_there);
  void ends_at(Yield level) {
    bound = level;
    tight = true;
  }
  // Rather than to ask how far down the last proof holds.
  [[nodiscard]] bool leaps() const;
  // While no level is known to fit: up to `bound`.
  [[nodiscard]] Yield next_probe() const;

  void fits_at(Yield level);
  void ends_below(Yield level);
  // Of fits < bound: a level above `fits`, up to `bound`.
  [[nodiscard]] Yield next_step() const;
};

}  // namespace aliquot
