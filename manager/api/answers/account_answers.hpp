// The answer to `accounts` as a JSON body: the totals over the jobs of each account. Pure. All keys are
// always present; an unknown value is null, and "unknown" gives the reason. docs/protocol.md lists the
// keys.
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
  CpuTotals cpu;            // over all its jobs
  StretchTotals so_far;     // over the jobs that have not ended
  StretchTotals completed;  // over the completed jobs
  void add(const AccountUse& ended);
};
using AccountRows = std::map<std::string, AccountRow>;  // by name; "": the jobs without an account

// Only these accounts, where others are private.
[[nodiscard]] AccountRows only(AccountRows rows, const std::vector<std::string>& accounts);

// Sorted by name, at most request.limit. Error: not_found for an account that never had a job.
[[nodiscard]] Result<std::string> accounts_answer(const AccountRows& rows, const Accounts& request,
                                                  const AnswerClock& clock);

}  // namespace aliquot
