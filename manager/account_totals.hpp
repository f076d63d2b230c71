// The totals of the ended jobs of every account, from the first job on: kept in memory, durable in the
// store.
//
// A job is counted when its last CPU readings are in (CpuLedger::kLinger after its end), in one transaction
// with its removal from the store's list of uncounted jobs. So each job is counted once, however the
// manager dies. Users choose the names of accounts, so at most kMost names have totals of their own; the
// ended jobs of any further name count as kOtherAccounts. Belongs to the loop's thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "manager/api/answers/account_answers.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

class AccountTotals {
 public:
  static constexpr std::size_t kMost = 1000;
  using UseOf = std::function<std::optional<JobUse>(JobId)>;

  // The store outlives this and has been recovered. Counts the jobs that an earlier run left uncounted.
  explicit AccountTotals(Store& store);

  void ended(const JobOutcome& outcome, Instant now);
  // Counts the jobs that ended longer than kLinger ago.
  void count(Instant now, const UseOf& use);
  // Of all jobs that have ended, counted or not.
  [[nodiscard]] AccountRows rows(const UseOf& use) const;

 private:
  struct Leaving {
    JobOutcome outcome;
    Instant since;
  };
  std::string add_to_total(const JobOutcome& outcome, const std::optional<JobUse>& use);
  void keep(const std::set<std::string>& changed, std::vector<JobId> counted);

  Store& store_;
  std::map<std::string, AccountUse> totals_;
  std::map<JobId, Leaving> leaving_;
};

}  // namespace aliquot
