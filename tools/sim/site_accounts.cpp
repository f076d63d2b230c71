#include "tools/sim/site_accounts.hpp"

#include <algorithm>
#include <map>

#include "config/account_words.hpp"
#include "config/file_text.hpp"
#include "config/section_reader.hpp"
#include "manager/core/account_limits.hpp"
#include "manager/core/account_yields.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::size_t kMostNamed = 5;
constexpr const char* kExample = "write for example accounts: [lab jobs=40 user.jobs=10]";

struct AccountList {
  std::vector<AccountTerms> accounts;
};

const Field<AccountList>& accounts_field() {
  static const auto row = list_field<AccountList, AccountTerms>(
      "accounts", [](auto& target) -> auto& { return target.accounts; }, account_terms(),
      "The tree of accounts.");
  return row;
}

std::string fault_in_simulation(const std::vector<AccountTerms>& accounts) {
  for (const AccountTerms& account : accounts)
    for (const AccountLimits* limits : {&account.limits, &account.each_user})
      if (limits->contains(LimitKind::core_hours))
        return "account " + account.name +
               " has a limit of core_hours, which are not counted in a simulation; leave it out";
  return fault_of(accounts);
}

}  // namespace

Result<std::vector<AccountTerms>> parse_accounts(std::string_view text, const std::string& file) {
  const auto root = parse_yaml(text, file);
  if (!root) return tl::unexpected(as_error({root.error()}));
  Reading reading{{file}, {}, {}};
  const auto at = std::ranges::find(root->entries, "accounts", &YamlEntry::key);
  if (root->kind != YamlNode::Kind::map || at == root->entries.end()) {
    reading.fault({1, 1}, "accounts", std::string("the key is missing; ") + kExample);
    return tl::unexpected(as_error(reading.faults));
  }
  AccountList list;
  read_value(accounts_field(), at->value, "accounts", list, reading);
  if (reading.faults.empty())
    if (const std::string fault = fault_in_simulation(list.accounts); !fault.empty())
      reading.fault(at->place, "accounts", fault);
  if (!reading.faults.empty()) return tl::unexpected(as_error(reading.faults));
  return list.accounts;
}

Result<std::vector<AccountTerms>> read_accounts(const std::string& path) {
  const auto text = read_file_text(path, kMostBytes);
  if (!text) return tl::unexpected(as_error({text.error()}));
  return parse_accounts(*text, path);
}

Result<void> check_limits(const Workload& workload, const std::vector<AccountTerms>& accounts) {
  std::map<std::string, AccountTerms> terms;
  for (const AccountTerms& account : accounts) terms[account.name] = account;
  std::size_t count = 0;
  std::string named;
  for (const WorkloadJob& job : workload.jobs) {
    const Submission asked = workload.submission(job);
    const Demand demand = with_account_yields(asked, account_yields(terms, asked.account)).demand;
    const auto wait =
        never_allowed(terms, {asked.account, job.submission.user}, amounts_of(demand, demand.tasks));
    if (!wait || ++count > kMostNamed) continue;
    named += "\n  job " + std::to_string(job.id.raw) + ": " + limit_text(*wait);
  }
  if (count == 0) return {};
  if (count > kMostNamed) named += "\n  and " + std::to_string(count - kMostNamed) + " more";
  return fail(ErrorKind::invalid_argument,
              "--accounts: a manager would refuse " + std::to_string(count) + " of the " +
                  std::to_string(workload.jobs.size()) +
                  " jobs; raise these limits, or take the jobs out of the workload" + named);
}

}  // namespace aliquot
