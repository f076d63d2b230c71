// A short life of a manager, as its store and its journal have it: what the manager's targets begin with.
#pragma once

#include <string>
#include <vector>

#include "manager/core/state.hpp"

namespace aliquot::fuzz {

struct Life {
  CoreState begin;
  std::vector<Step> steps;
  CoreState end;
};

// Two nodes and half a dozen jobs that are paused, moved, fail and end; devices on one of the nodes.
[[nodiscard]] Life short_life();

// The bytes of a store that holds this life, with a snapshot in the middle. `path` is written.
[[nodiscard]] std::string store_bytes(const Life& life, const std::string& path);

}  // namespace aliquot::fuzz
