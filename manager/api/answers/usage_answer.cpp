#include "manager/api/answers/usage_answer.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "manager/api/wire/strict_json.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

// An account, with a user of it or as a whole.
using Row = std::pair<std::string, std::optional<std::uint32_t>>;

std::map<Row, CpuTime> rows_of(const CpuByUser& sums, bool by_user,
                               const std::optional<OwnAccounts>& only) {
  std::map<Row, CpuTime> rows;
  for (const auto& [user, cpu] : sums) {
    const bool is_own =
        !only || (by_user ? user.uid == only->uid
                          : std::ranges::find(only->accounts, user.account) != only->accounts.end());
    if (is_own) rows[{user.account, by_user ? std::optional(user.uid) : std::nullopt}] += cpu;
  }
  return rows;
}

json row_json(const std::string& account, std::optional<std::uint32_t> uid, std::optional<JobId> job,
              const CpuTime& cpu) {
  return {{"account", account},
          {"uid", uid ? json(*uid) : json()},
          {"job", job ? json(job->raw) : json()},
          {"granted_core_s", to_seconds(cpu.granted)},
          {"used_core_s", to_seconds(cpu.used)}};
}

// `next`: the number after which the next jobs are asked for.
std::string answer(const AccountUsage& request, const AnswerClock& clock, json usage, bool more,
                   std::optional<JobId> next = {}) {
  const std::int64_t end_us = request.end_hour * kHourUs;
  const std::int64_t now_us = clock.calendar.unix_us(clock.now);
  return to_line({{"now", iso_time(now_us)},
                  {"start", iso_time(request.first_hour * kHourUs)},
                  {"end", iso_time(end_us)},
                  {"counted_until", iso_time(std::min(end_us, now_us))},
                  {"usage", std::move(usage)},
                  {"more", more},
                  {"next_after_job", next ? json(next->raw) : json()}});
}

}  // namespace

std::string account_usage_answer(const CpuByUser& sums, const AccountUsage& request,
                                 const AnswerClock& clock, const std::optional<OwnAccounts>& only) {
  json usage = json::array();
  bool more = false;
  for (const auto& [row, cpu] : rows_of(sums, request.by == UsageBy::user, only)) {
    more = usage.size() >= kMostUsageRows;
    if (more) break;
    usage.push_back(row_json(row.first, row.second, std::nullopt, cpu));
  }
  return answer(request, clock, std::move(usage), more);
}

std::string job_usage_answer(const CpuByJob& sums, const AccountUsage& request, const AnswerClock& clock,
                             const std::optional<OwnAccounts>& only) {
  json usage = json::array();
  std::size_t seen = 0;
  std::optional<JobId> next, last;
  for (const auto& [job, its] : sums) {
    if (++seen > kMostUsageRows) next = last;
    if (next) break;
    last = job;
    if (only && its.user.uid != only->uid) continue;
    usage.push_back(row_json(its.user.account, its.user.uid, job, its.cpu));
  }
  return answer(request, clock, std::move(usage), next.has_value(), next);
}

}  // namespace aliquot
