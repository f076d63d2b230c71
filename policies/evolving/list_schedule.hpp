// Algorithm 1 of Klein and Perez, "Towards Scheduling Evolving Applications", 2011, sec. 4.1: schedules
// applications that are all known, one after the other in a given order, each fitted beside those before
// it.
//
// Times count from the origin, at which all applications are there and the cluster is empty. The rigid
// baseline of the paper is the same with EvolutionProfile::rigid() and without expansion: each application
// into the first hole that is large and long enough. Errors: those of fit().
#pragma once

#include <span>
#include <vector>

#include "policies/evolving/fit.hpp"

namespace aliquot::evolving {

class ListSchedule {
 public:
  // `nodes`: 1 to kMostNodes.
  ListSchedule(std::int64_t nodes, const FitRule& rule) : resources_(nodes), rule_(rule) {}

  // The next application of the list. After an error the schedule is as it was.
  [[nodiscard]] Result<ScheduledProfile> add(const EvolutionProfile& requested);

  [[nodiscard]] const ResourceProfile& resources() const { return resources_; }

 private:
  ResourceProfile resources_;
  FitRule rule_;
};

// All applications, in the order given. The error names the number of its application, from 1.
[[nodiscard]] Result<std::vector<ScheduledProfile>> schedule_in_order(
    std::span<const EvolutionProfile> requested, std::int64_t nodes, const FitRule& rule);

}  // namespace aliquot::evolving
