#include "manager/reconciliation.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {
namespace {

// The pause grows while the answer stays unknown: another program may have taken the VM away for good.
constexpr Duration kAskAgain = seconds(2);
constexpr std::uint32_t kSoon = 8;  // answers
constexpr Duration kAskAgainLater = seconds(20);

}  // namespace

void Reconciliation::note_unclear(std::uint64_t step, std::vector<VmQuery> unclear) {
  std::map<Key, Open> before = std::exchange(open_, {});
  for (VmQuery& query : unclear) {
    const Key key{query.job, query.task, query.incarnation};
    const auto known = before.find(key);
    Open open = known == before.end() ? Open{{}, step, {}, 0} : std::move(known->second);
    open.query = std::move(query);
    open_.emplace(key, std::move(open));
  }
}

std::vector<VmQuery> Reconciliation::take_due(Instant now) {
  std::vector<VmQuery> due;
  for (auto& [key, open] : open_) {
    if (open.since > durable_ || open.not_before > now) continue;
    due.push_back(open.query);
    open.not_before = kNever;
  }
  return due;
}

void Reconciliation::answered(const Inspected& answer, Instant now) {
  const auto known = open_.find({answer.job, answer.task, answer.incarnation});
  if (known == open_.end()) return;
  known->second.not_before = now + (++known->second.answers < kSoon ? kAskAgain : kAskAgainLater);
}

void Reconciliation::ask_soon() {
  for (auto& [key, open] : open_) {
    open.answers = 0;
    if (open.not_before != kNever) open.not_before = {};
  }
}

Instant Reconciliation::next_due() const {
  Instant next = kNever;
  for (const auto& [key, open] : open_)
    if (open.since <= durable_) next = std::min(next, open.not_before);
  return next;
}

}  // namespace aliquot
