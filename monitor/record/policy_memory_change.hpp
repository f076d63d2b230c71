// What a decision changes in what its policy remembers. Steps have this and not the whole memory: with
// thousands of jobs that wait the memory is longer than all the rest of a step, and most of it stays as it
// was.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "policies/model/view.hpp"

namespace aliquot {

struct PolicyMemoryChange {
  bool whole = false;                 // all that was remembered before is forgotten first
  FlatMap<JobId, Retry> retries{};    // those that are new, or have changed
  std::vector<JobId> retries_gone{};  // by id
  std::map<JobId, Booking> reservations{};
  std::vector<JobId> reservations_gone{};
  std::optional<std::shared_ptr<const PolicyState>> state{};  // none: as before
  [[nodiscard]] bool empty() const;
};

// The changes that lead from `before` to `after`.
[[nodiscard]] PolicyMemoryChange memory_change(const PolicyMemory& before, const PolicyMemory& after);
// Makes these changes in `memory`, which is as it was before them.
void remember(const PolicyMemoryChange& change, PolicyMemory& memory);

}  // namespace aliquot
