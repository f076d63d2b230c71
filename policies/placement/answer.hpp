// What every solver of a collective placement answers: what it found, and how good that is for certain.
//
// The takes are in class form: so many nodes that had exactly this free give so many units each. Replayed
// in their order on real nodes they say who stands where (assign.hpp); which of several equal nodes is
// free to choose.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placement/instance.hpp"

namespace aliquot::ip {

struct Take {
  std::uint32_t request = 0;
  Cell from;                 // as these nodes were just before
  std::uint16_t device = 0;  // what it picks (cells.hpp), if the request asks for devices
  std::uint32_t units = 0;   // on each of them
  std::uint32_t nodes = 0;
};

struct Chosen {
  std::uint32_t request = 0;
  std::uint32_t nodes = 0;
};

struct Answer {
  std::vector<Chosen> chosen;  // in increasing request
  std::vector<Take> takes;
  Value incumbent = 0;  // of what was chosen
  Value bound = 0;      // no placement whatever is worth more: proven, not estimated
  std::uint64_t work = 0;
  bool finished = true;  // false: stopped by the effort allowed

  // (bound - incumbent) / bound, in [0, 1].
  [[nodiscard]] double gap() const {
    return bound > 0 ? static_cast<double>(bound - incumbent) / static_cast<double>(bound) : 0.0;
  }
};

}  // namespace aliquot::ip
