// The work of each job of a live run, in seconds of a core: what its tasks took, not how long they waited.
//
// A CSV beside the journal, written by whoever watched the VMs (tools/validity): `job,measured,expected`.
// `measured` counts the CPU time that the job's slowest task was really given in this run; `expected` was
// known before: links of its chain x CPU time of a link, from guests that ran alone. Jobs that are not
// named are not compared.
#pragma once

#include <map>
#include <string>

#include "policies/model/error.hpp"
#include "policies/model/id.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

struct Work {
  Duration measured;
  Duration expected;
};
using WorkTable = std::map<JobId, Work>;

// Errors name the file and the line: no such table, a number that is none or not above 0, a job twice.
[[nodiscard]] Result<WorkTable> read_work_table(const std::string& path);

}  // namespace aliquot
