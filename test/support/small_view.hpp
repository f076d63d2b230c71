// Small clusters and jobs for tests, in a line each.
#pragma once

#include <string>
#include <utility>

#include "monitor/record/submission.hpp"
#include "policies/model/view.hpp"

namespace aliquot::test {

inline Node node(std::uint32_t id, std::int64_t core_count = 1, std::int64_t mib = 1000) {
  Node made;
  made.id = {id};
  made.name = "n" + std::to_string(id);
  made.capacity = cores(core_count);
  made.memory = mebibytes(mib);
  made.cores = static_cast<std::uint32_t>(core_count);
  return made;
}

inline Submission submission(std::uint32_t tasks, std::int64_t milli_cores, std::int64_t mib) {
  Submission made;
  made.demand.tasks = tasks;
  made.demand.need = Cpu{milli_cores * 1000};
  made.demand.memory = made.guest_memory = mebibytes(mib);
  return made;
}

inline Job running(std::uint64_t id, const Submission& what, Placement placement,
                   std::int64_t yield_ppm = kMillion) {
  Job made;
  made.id = {id};
  made.demand = what.demand;
  made.phase = Phase::running;
  made.placement = std::move(placement);
  made.yield = Yield{yield_ppm};
  return made;
}

inline Job waiting(std::uint64_t id, const Submission& what) {
  Job made;
  made.id = {id};
  made.demand = what.demand;
  return made;
}

}  // namespace aliquot::test
