// What the ended jobs of every account come to, from the first job on: kept in memory, durable in the
// store.
//
// A job is counted when its last readings are in (CpuLedger::kLinger after its end), in one transaction
// with its removal from the store's list of uncounted jobs: however the manager dies, each job is counted
// once. At most kMost names are told apart, because users choose them: the ended jobs of any further name
// count as "(others)". Belongs to the loop's thread.
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
  static constexpr const char* kOthers = "(others)";  // no user can choose it (api/admission.hpp)
  using UseOf = std::function<std::optional<JobUse>(JobId)>;

  // The store, which outlives the book, has been recovered. Counts what an earlier life left uncounted.
  explicit AccountTotals(Store& store);

  void ended(const JobOutcome& outcome, Instant now);
  // Counts those that ended a while ago.
  void count(Instant now, const UseOf& use);
  // Of all that have ended, counted or not.
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
