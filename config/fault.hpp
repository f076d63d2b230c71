// A fault in a configuration file: its place, the key, what is wrong, and what to do.
//
// All faults are reported together, one line each, in the order of the file.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

// From 1, as editors count; line 0: the file as a whole. In order: file by file, then line by line.
struct Place {
  int line = 0;
  int column = 0;
  int source = 0;  // index of the file or layer
  friend bool operator==(const Place&, const Place&) = default;
  friend auto operator<=>(const Place& a, const Place& b) {
    return std::tie(a.source, a.line, a.column) <=> std::tie(b.source, b.line, b.column);
  }
};

struct Fault {
  std::string file;
  Place place;
  std::string key;   // path of the key, for example nodes[1].speed; empty: none
  std::string text;  // what is wrong; what to do
};

using Faults = std::vector<Fault>;

// "cluster.yaml:3:7: nodes[1].speed: ..."
[[nodiscard]] std::string print_fault(const Fault& fault);

// One line per fault (at most 50, then how many more there are), as the message of one error.
[[nodiscard]] Error as_error(const Faults& faults);

}  // namespace aliquot
