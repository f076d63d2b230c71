// Which arrays may make members: an index beside the records, so that a step costs those that do.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "monitor/record/event.hpp"

namespace aliquot {

struct Arrays {
  struct MemberEnd {
    ArrayMember member;
    JobResult result = JobResult::completed;
  };

  std::set<JobId> making;        // arrays that may make members now
  std::vector<MemberEnd> ended;  // what their arrays have not been told yet
};

}  // namespace aliquot
