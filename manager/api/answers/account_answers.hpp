// The answer to `accounts`, as a JSON body: what the jobs of each account come to. Pure; every key always
// stands, with null where nothing is known and "unknown" saying why. docs/protocol.md lists them.
#pragma once

#include <map>
#include <string>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/job_state.hpp"
#include "manager/api/wire/request.hpp"
#include "monitor/account_use.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct AccountRow {
  std::map<JobState, std::uint64_t> jobs;
  CpuTally cpu;            // of all its jobs
  StretchTally so_far;     // of those that have not ended
  StretchTally completed;  // of those that completed
  void add(const AccountUse& ended);
};
using AccountRows = std::map<std::string, AccountRow>;  // by name; "": of jobs without an account

// By name, at most request.limit. Errors: not_found, for an account that never had a job.
[[nodiscard]] Result<std::string> accounts_answer(const AccountRows& rows, const Accounts& request,
                                                  const AnswerClock& clock);

}  // namespace aliquot
