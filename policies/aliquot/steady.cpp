#include "policies/aliquot/steady.hpp"

#include <algorithm>

namespace aliquot {

namespace {

constexpr std::size_t kAhead = 8;
constexpr std::int64_t kPart = 20;  // of a yield: a smaller change is none

using Marks = std::pmr::vector<std::uint8_t>;
using Numbers = std::pmr::vector<std::uint32_t>;

bool hardly_changes(const Draft& draft, std::uint32_t i, const Outlook& job, Yield next) {
  const std::int64_t change = std::max(job.in_force, next).raw - std::min(job.in_force, next).raw;
  const bool little = (change * kPart <= job.in_force.raw) & (job.in_force >= job.guaranteed);
  // Mostly the first, whatever the answer is.
  return draft.untouched(i) ? little : little && draft.placement(i) == Shares(draft.job(i).placement);
}

// Crowded nodes where something changes.
class Changing {
 public:
  Changing(const Draft& draft, const Floors& floors)
      : draft_(draft), floors_(floors), marks_(draft.nodes(), 0, draft.memory()) {}

  void mark(std::uint32_t i) {
    for (const Share& share : draft_.placement(i)) marks_[share.node.raw] = 1;
  }
  [[nodiscard]] bool reaches(std::uint32_t i) const {
    return std::ranges::any_of(draft_.placement(i), [&](const Share& share) {
      return marks_[share.node.raw] != 0 && floors_.crowded(share.node.raw);
    });
  }

 private:
  const Draft& draft_;
  const Floors& floors_;
  Marks marks_;  // of other nodes some, too
};

// Jobs that are joined, because they share a crowded node, or through others.
class Groups {
 public:
  Groups(const Draft& draft, const Floors& floors)
      : draft_(draft), floors_(floors), leads_(draft.memory()), first_(draft.nodes(), 0, draft.memory()) {}

  // The k-th: joined with those before.
  void add(std::uint32_t i) {
    const auto k = static_cast<std::uint32_t>(leads_.size());
    leads_.push_back(k);
    std::uint32_t joined = k + 1;  // neighbours are often alike
    for (const Share& share : draft_.placement(i)) {
      if (!floors_.crowded(share.node.raw)) continue;
      std::uint32_t& first = first_[share.node.raw];
      if (first == 0) first = k + 1;
      if (first == joined) continue;
      joined = first;
      leads_[lead_of(k)] = lead_of(first - 1);
    }
  }
  [[nodiscard]] std::uint32_t lead_of(std::uint32_t k) {
    for (; leads_[k] != k; k = leads_[k]) leads_[k] = leads_[leads_[k]];
    return k;
  }

 private:
  const Draft& draft_;
  const Floors& floors_;
  Numbers leads_;
  Numbers first_;  // by node: who stands there, plus one
};

// Who is joined with nobody that changes, of those that do not themselves.
void leave_out_the_joined(const Draft& draft, const Floors& floors, const Changing& changing,
                          Numbers& quiet) {
  if (quiet.empty()) return;
  Groups groups(draft, floors);
  for (const std::uint32_t i : quiet) groups.add(i);
  Marks changes(quiet.size(), 0, draft.memory());
  for (std::uint32_t k = 0; k < quiet.size(); ++k)
    if (changing.reaches(quiet[k])) changes[groups.lead_of(k)] = 1;
  std::uint32_t kept = 0;
  for (std::uint32_t k = 0; k < quiet.size(); ++k)
    if (changes[groups.lead_of(k)] == 0) quiet[kept++] = quiet[k];
  quiet.resize(kept);
}

}  // namespace

// Mostly all that change are soon found: many do, and stand far and wide. Only the others are put in
// groups.
void keep_steady(const Draft& draft, std::span<const std::uint32_t> placed, const Outlooks& outlooks,
                 const Floors& floors, Yields& yields) {
  Changing changing(draft, floors);
  // Written without branches: who changes nobody could foretell.
  Numbers quiet(placed.size() + 1, draft.memory());
  Numbers loud(placed.size() + 1, draft.memory());
  std::size_t quiets = 0;
  std::size_t louds = 0;
  for (const std::uint32_t i : placed) {
    const Outlook& job = outlooks[i];
    const bool quietly = hardly_changes(draft, i, job, yields[i]);
    const bool shares = floors.has(i);
    quiet[quiets] = loud[louds] = i;
    quiets += quietly & shares ? 1 : 0;
    louds += !quietly & shares ? 1 : 0;
    yields[i] = quietly & !shares ? job.in_force : yields[i];
  }
  quiet.resize(quiets);
  const bool any = louds > 0;
  for (std::size_t k = 0; k < louds; ++k) changing.mark(loud[k]);
  const auto leave_out_the_reached = [&] {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < quiets; ++k) {
      if (k + kAhead < quiets) draft.prefetch_shares(quiet[k + kAhead]);
      const std::uint32_t i = quiet[k];
      const bool reached = changing.reaches(i);
      if (reached) changing.mark(i);
      quiet[kept] = i;
      kept += reached ? 0 : 1;
    }
    quiet.resize(kept);
    return quiets - kept;
  };
  if (any && leave_out_the_reached() > 0) leave_out_the_joined(draft, floors, changing, quiet);
  for (const std::uint32_t i : quiet) yields[i] = outlooks[i].in_force;
}

}  // namespace aliquot
