// The answer to `account.usage` as a JSON body: the CPU time that was granted to users of accounts, or to
// their jobs, and that they used, in a span of whole hours. Pure. docs/protocol.md lists the keys.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "manager/api/answers/account_tree_answers.hpp"
#include "manager/api/answers/answer_values.hpp"
#include "manager/api/wire/request.hpp"
#include "monitor/hour_use.hpp"

namespace aliquot {

// The sums over the hours from `first` up to `end`, without it; of the hour that runs up to now.
using CpuBetween = std::function<CpuByUser(std::int64_t first, std::int64_t end)>;

// Sorted by account and user, at most kMostUsageRows. `sums` are of the span of the request, up to
// clock.now. `only`: a client that sees these accounts, and of their users itself.
[[nodiscard]] std::string account_usage_answer(const CpuByUser& sums, const AccountUsage& request,
                                               const AnswerClock& clock,
                                               const std::optional<OwnAccounts>& only = {});

// The same by job. `sums`: of at most kMostUsageRows + 1 jobs, the first after the one that is named.
[[nodiscard]] std::string job_usage_answer(const CpuByJob& sums, const AccountUsage& request,
                                           const AnswerClock& clock,
                                           const std::optional<OwnAccounts>& only = {});

inline constexpr std::size_t kMostUsageRows = 10'000;

}  // namespace aliquot
