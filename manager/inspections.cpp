#include "manager/inspections.hpp"

#include <algorithm>
#include <set>

namespace aliquot {
namespace {

constexpr Duration kAskAgain = seconds(2);

}  // namespace

std::vector<VmQuery> Inspections::to_ask(std::vector<VmQuery> unclear, Instant now) {
  std::set<Key> present;
  for (const VmQuery& query : unclear) present.insert({query.job, query.task, query.incarnation});
  // What has become clear by another way is not waited for.
  std::erase_if(not_before_, [&](const auto& entry) { return !present.contains(entry.first); });
  std::erase_if(unclear, [&](const VmQuery& query) {
    const Key key{query.job, query.task, query.incarnation};
    const auto known = not_before_.find(key);
    if (known != not_before_.end() && known->second > now) return true;
    not_before_[key] = kNever;
    return false;
  });
  return unclear;
}

void Inspections::answered(const Inspected& answer, Instant now) {
  const auto known = not_before_.find({answer.job, answer.task, answer.incarnation});
  if (known != not_before_.end()) known->second = now + kAskAgain;
}

Instant Inspections::next_due() const {
  Instant next = kNever;
  for (const auto& [key, instant] : not_before_) next = std::min(next, instant);
  return next;
}

}  // namespace aliquot
