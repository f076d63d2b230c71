#include "monitor/record/policy_memory_change.hpp"

#include <utility>

namespace aliquot {
namespace {

// Of two maps in increasing keys.
template <class Map>
void compare(const Map& before, const Map& after, Map& changed, std::vector<JobId>& gone) {
  auto old = before.begin();
  for (const auto& [job, value] : after) {
    for (; old != before.end() && old->first < job; ++old) gone.push_back(old->first);
    const bool was_there = old != before.end() && old->first == job;
    if (!was_there || old->second != value) changed.emplace(job, value);
    if (was_there) ++old;
  }
  for (; old != before.end(); ++old) gone.push_back(old->first);
}

// In one pass over all: to erase from a FlatMap one by one would move what comes after, each time.
template <class Map>
void take_in(const Map& changed, const std::vector<JobId>& gone, Map& map) {
  if (changed.empty() && gone.empty()) return;
  Map merged;
  auto next = changed.begin();
  auto leaves = gone.begin();
  for (auto& [job, value] : map) {
    for (; next != changed.end() && next->first < job; ++next) merged.emplace(next->first, next->second);
    while (leaves != gone.end() && *leaves < job) ++leaves;
    const bool is_gone = leaves != gone.end() && *leaves == job;
    const bool is_replaced = next != changed.end() && next->first == job;
    if (!is_gone && !is_replaced) merged.emplace(job, std::move(value));
  }
  for (; next != changed.end(); ++next) merged.emplace(next->first, next->second);
  map = std::move(merged);
}

}  // namespace

bool PolicyMemoryChange::empty() const {
  return !whole && retries.empty() && retries_gone.empty() && reservations.empty() &&
         reservations_gone.empty() && !state;
}

PolicyMemoryChange memory_change(const PolicyMemory& before, const PolicyMemory& after) {
  PolicyMemoryChange change;
  compare(before.retries, after.retries, change.retries, change.retries_gone);
  compare(before.reservations, after.reservations, change.reservations, change.reservations_gone);
  if (before.state != after.state) change.state = after.state;
  return change;
}

void remember(const PolicyMemoryChange& change, PolicyMemory& memory) {
  if (change.whole) memory = {};
  take_in(change.retries, change.retries_gone, memory.retries);
  take_in(change.reservations, change.reservations_gone, memory.reservations);
  if (change.state) memory.state = *change.state;
}

}  // namespace aliquot
