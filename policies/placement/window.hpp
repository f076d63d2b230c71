// From a view to a problem of collective placement: the window of waiting jobs, and what is free.
//
// Takes the first jobs by priority and turns their demands, and the nodes that take something new, into
// whole steps: free amounts rounded down, demands up; the step is the common divisor of the demands, so
// that nothing is lost by it unless a node holds more than four thousand million steps. Every job gets all
// it needs: nothing is shared. Models of devices that nobody in the window asks for are left out, and so is
// memory where the CPU is always gone first: that keeps the classes few. At most ip::kKindModels models of
// one node are seen, and at most ip::kMostClasses classes of nodes (coarsen.hpp). What is left of a device
// that is cut into slices counts as far as the slices asked for can use it (slices.hpp). Jobs without any
// CPU need are not expressed: they stand in `others`.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/draft.hpp"
#include "policies/model/free_devices.hpp"
#include "policies/placement/assign.hpp"
#include "policies/placement/cells.hpp"
#include "policies/placement/grammar.hpp"

namespace aliquot {

struct Window {
  ip::Instance instance;
  ip::NodeCells cells;  // by node; none: takes nothing new
  // If the nodes were of too many classes: these, with everything rounded up instead of down, for a bound.
  std::vector<ip::NodeClass> ceiling;
  std::vector<std::size_t> entries;  // of the draft, by request
  std::vector<std::size_t> others;   // entries, by priority
  std::uint32_t behind = 0;          // jobs that wait behind the window

  // The model that a request takes on a node of this kind, by what it picks.
  [[nodiscard]] DeviceModel model(std::uint16_t kind, const ip::Request& request, ip::Pick pick) const {
    return {instance.kinds[kind][request.is_slice() ? ip::cut_model(pick) : pick]};
  }
};

// Candidates in the order of their priority, all of them. Basic: by the user's own priority, then by
// submission. Multifactor: by age and size besides (weight_of).
[[nodiscard]] std::vector<std::size_t> by_priority(const Draft& draft, const CollectiveSpec& spec);

// `waiting`: entries by priority; at most `most` of them come in.
[[nodiscard]] Window window_of(const Draft& draft, const FreeDevices& free,
                               const std::vector<std::size_t>& waiting, const CollectiveSpec& spec,
                               std::uint32_t most);

}  // namespace aliquot
