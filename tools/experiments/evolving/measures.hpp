// The algorithms that the paper compares, and what it measures of their schedules (Klein and Perez,
// "Towards Scheduling Evolving Applications", 2011, sec. 5.1). All values are per cent.
//
// Times count from 0, when all applications are queued. Useful is the area of the requested profiles;
// allocated, that of the scheduled ones: steps that wait for nodes, and what rigid holds above the request,
// are wasted.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "policies/evolving/list_schedule.hpp"

namespace aliquot::evolving {

struct Algorithm {
  std::string_view name;  // the paper's
  bool rigid = false;     // the most nodes for the whole duration
  FitRule rule;
};

inline constexpr std::array<Algorithm, 6> kAlgorithms = {{
    {"rigid", true, {}},
    {"noX", false, {ExpandLimit::none(), false}},
    {"2X", false, {ExpandLimit::times(2), false}},
    {"2X+c", false, {ExpandLimit::times(2), true}},
    {"infX", false, {ExpandLimit::unlimited(), false}},
    {"infX+c", false, {ExpandLimit::unlimited(), true}},
}};

enum class Measure : std::size_t {
  waste,                  // (allocated - useful) / useful
  utilisation,            // allocated, of rigid's
  effective_utilisation,  // useful / (nodes x makespan)
  makespan,               // of rigid's
  completion,             // mean time from 0 to the end of an application, of rigid's
  waiting,                // mean time from 0 to its start, of rigid's
  expanded,               // applications with a longer schedule than request, of all
  expansion,              // of an application: (scheduled - requested duration) / requested duration
  application_waste,      // of an application: (allocated - useful) / useful
};
inline constexpr std::size_t kMeasures = 9;

// By Measure: one value for each test, of the last two one for each application.
using Values = std::array<std::vector<double>, kMeasures>;

// Of one test case, by algorithm. Errors: those of schedule_in_order().
[[nodiscard]] Result<std::array<Values, kAlgorithms.size()>> measure(
    std::span<const EvolutionProfile> requested, std::int64_t nodes);

}  // namespace aliquot::evolving
