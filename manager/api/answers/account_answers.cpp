#include "manager/api/answers/account_answers.hpp"

#include <nlohmann/json.hpp>

#include "manager/api/wire/message_text.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "policies/model/nearest.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

json sum_json(const PartialSum& sum) { return sum.known > 0 ? json(to_seconds(sum.sum)) : json(); }

// Why a sum does not cover all jobs, or is null.
void explain(const char* key, const PartialSum& sum, json& unknown) {
  if (sum.known == 0 && sum.unknown == 0) {
    unknown[key] = "none of its jobs has run";
  } else if (sum.known == 0) {
    unknown[key] = "none of its jobs tells; `aliquot show JOB` says why";
  } else if (sum.unknown > 0) {
    unknown[key] = std::to_string(sum.unknown) + " of " + std::to_string(sum.known + sum.unknown) +
                   " jobs do not tell; the sum is of the others";
  }
}

json cpu_json(const CpuTotals& cpu) {
  json unknown = json::object();
  explain("used_s", cpu.used, unknown);
  explain("stolen_s", cpu.stolen, unknown);
  explain("throttled_s", cpu.throttled, unknown);
  const bool busy = cpu.busy_granted.raw > 0;
  if (!busy) unknown["accuracy"] = "its virtual CPUs were never busy all the time between two readings";
  return {
      {"promised_s", to_seconds(cpu.promised)},
      {"granted_s", to_seconds(cpu.granted)},
      {"energy_joules", joules(cpu.energy)},
      {"used_s", sum_json(cpu.used)},
      {"stolen_s", sum_json(cpu.stolen)},
      {"throttled_s", sum_json(cpu.throttled)},
      {"accuracy",
       busy ? json(ratio({multiply_divide(cpu.busy_used.raw, kMillion, cpu.busy_granted.raw)})) : json()},
      {"busy", {{"granted_s", to_seconds(cpu.busy_granted)}, {"used_s", to_seconds(cpu.busy_used)}}},
      {"unknown", std::move(unknown)}};
}

json stretch_json(const StretchTotals& stretch) {
  if (stretch.jobs == 0) return {{"jobs", 0}, {"mean", nullptr}, {"max", nullptr}};
  return {{"jobs", stretch.jobs},
          {"mean", ratio({stretch.sum / static_cast<std::int64_t>(stretch.jobs)})},
          {"max", ratio({stretch.most})}};
}

json row_json(const std::string& account, const AccountRow& row) {
  json jobs = json::object();
  for (const JobState state : all_job_states()) {
    const auto found = row.jobs.find(state);
    jobs[std::string(word(state))] = found == row.jobs.end() ? 0 : found->second;
  }
  return {{"account", account},
          {"jobs", std::move(jobs)},
          {"cpu", cpu_json(row.cpu)},
          {"stretch", {{"so_far", stretch_json(row.so_far)}, {"completed", stretch_json(row.completed)}}}};
}

Error no_such_account(const AccountRows& rows, const std::string& account) {
  std::vector<std::string> known;
  for (const auto& [name, row] : rows) known.push_back(name);
  return {ErrorKind::not_found, "there is no account " + in_quotes(account) +
                                    ": no job was ever submitted for it" + did_you_mean(account, known) +
                                    "; see `aliquot accounts`"};
}

}  // namespace

void AccountRow::add(const AccountUse& ended) {
  const std::pair<JobState, std::uint64_t> counts[] = {{JobState::completed, ended.completed},
                                                       {JobState::failed, ended.failed},
                                                       {JobState::cancelled, ended.cancelled},
                                                       {JobState::timed_out, ended.timed_out}};
  for (const auto& [state, count] : counts) jobs[state] += count;
  cpu.add(ended.cpu);
  completed.add(ended.stretch);
}

AccountRows only(AccountRows rows, const std::vector<std::string>& accounts) {
  std::erase_if(rows,
                [&](const auto& row) { return std::ranges::find(accounts, row.first) == accounts.end(); });
  return rows;
}

Result<std::string> accounts_answer(const AccountRows& rows, const Accounts& request,
                                    const AnswerClock& clock) {
  json accounts = json::array();
  bool more = false;
  if (request.account) {
    const auto found = rows.find(*request.account);
    if (found == rows.end()) return tl::unexpected<Error>(no_such_account(rows, *request.account));
    accounts.push_back(row_json(found->first, found->second));
  } else {
    for (const auto& [account, row] : rows) {
      more = accounts.size() >= request.limit;
      if (more) break;
      accounts.push_back(row_json(account, row));
    }
  }
  return to_line({{"now", iso_time(clock.now, clock)}, {"accounts", std::move(accounts)}, {"more", more}});
}

}  // namespace aliquot
