#include "policies/model/submission_order.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

SubmissionOrder::Least SubmissionOrder::least(const Least& a, const Least& b) {
  return {std::min(a.width, b.width), std::min(a.span, b.span)};
}

bool SubmissionOrder::lets_in(const Limits& limits, const Least& what) {
  return what.width <= limits.any || (what.width <= limits.brief && what.span <= limits.span);
}

void SubmissionOrder::clear() { *this = {}; }

// A binary search without a branch: which way it goes is nothing that a processor could foretell.
std::uint32_t SubmissionOrder::position(const Job& job) const {
  if (entries_.back().id == job.id) return static_cast<std::uint32_t>(entries_.size() - 1);
  const auto not_after = [&job](const Entry& entry) {
    const bool earlier = entry.submitted < job.submitted;
    const bool tied = entry.submitted == job.submitted;
    return static_cast<bool>(earlier | (tied & (entry.id <= job.id)));
  };
  const Entry* base = entries_.data();
  for (std::size_t count = entries_.size(); count > 1;) {
    const std::size_t half = count / 2;
    base += not_after(base[half]) ? half : 0;
    count -= half;
  }
  return static_cast<std::uint32_t>(base - entries_.data());
}

void SubmissionOrder::set(std::uint32_t position, const Least& leaf) {
  Least* const tree = tree_.data();
  std::uint32_t at = capacity_ + position;
  tree[at] = leaf;
  for (Least now = leaf; at > 1;) {
    now = least(now, tree[at ^ 1U]);
    at /= 2;
    if (now.width == tree[at].width && now.span == tree[at].span) return;
    tree[at] = now;
  }
}

void SubmissionOrder::add(const Job& job, bool wants, Duration span) {
  const Entry entry{job.id, job.submitted, true};
  const Least leaf = wants ? Least{job.demand.tasks, span} : Least{};
  ++alive_;
  const bool last = entries_.empty() || std::pair(entries_.back().submitted, entries_.back().id) <
                                            std::pair(entry.submitted, entry.id);
  if (!last) return insert(entry, leaf);
  if (entries_.size() == capacity_) compact();
  entries_.push_back(entry);
  if (wants) set(static_cast<std::uint32_t>(entries_.size() - 1), leaf);
}

void SubmissionOrder::mark(const Job& job, bool wants, Duration span) {
  set(position(job), wants ? Least{job.demand.tasks, span} : Least{});
}

void SubmissionOrder::remove(const Job& job) {
  const std::uint32_t at = position(job);
  set(at, {});
  entries_[at].alive = false;
  --alive_;
  while (!entries_.empty() && !entries_.back().alive) entries_.pop_back();
}

void SubmissionOrder::insert(const Entry& entry, const Least& leaf) {
  std::vector<Least> marked(leaves(), leaves() + entries_.size());
  const auto before = [](const Entry& a, const Entry& b) {
    return std::pair(a.submitted, a.id) < std::pair(b.submitted, b.id);
  };
  const auto at = std::upper_bound(entries_.begin(), entries_.end(), entry, before);
  marked.insert(marked.begin() + (at - entries_.begin()), leaf);
  entries_.insert(at, entry);
  resize(marked);
}

void SubmissionOrder::compact() {
  std::vector<Least> marked;
  marked.reserve(alive_);
  for (std::uint32_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].alive) marked.push_back(leaves()[i]);
  std::erase_if(entries_, [](const Entry& entry) { return !entry.alive; });
  resize(marked);
}

// At least half of the positions are left free: the work is paid for by the jobs that fill them.
void SubmissionOrder::resize(const std::vector<Least>& marked) {
  capacity_ = 64;
  while (capacity_ < 2 * (marked.size() + 1)) capacity_ *= 2;
  tree_.assign(2 * std::size_t{capacity_}, {});
  std::copy(marked.begin(), marked.end(), tree_.begin() + capacity_);
  for (std::uint32_t at = capacity_ - 1; at > 0; --at) tree_[at] = least(tree_[2 * at], tree_[2 * at + 1]);
}

// Up from the first position until a subtree to the right may hold one, then down to its first; where the
// two minima of a subtree come from different jobs, on to the next.
std::uint32_t SubmissionOrder::next(std::uint32_t from, const Limits& limits) const {
  if (from >= entries_.size() || !lets_in(limits, tree_[1])) return kNone;
  std::uint32_t at = capacity_ + from;
  for (;;) {
    if (lets_in(limits, tree_[at])) {
      if (at >= capacity_) return at - capacity_;
      at *= 2;
      continue;
    }
    while ((at & 1U) != 0) {
      at /= 2;
      if (at <= 1) return kNone;
    }
    ++at;
  }
}

}  // namespace aliquot
