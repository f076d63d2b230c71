#include "policies/aliquot/steady.hpp"

namespace aliquot {

namespace {

constexpr std::int64_t kPart = 20;  // of a yield: a smaller change is none

bool hardly_changes(const Job& job, Shares now, Yield next) {
  const std::int64_t change = std::max(job.yield, next).raw - std::min(job.yield, next).raw;
  return change * kPart <= job.yield.raw && job.yield >= floor_of(job.demand) &&
         now == Shares(job.placement);
}

// What changes, and who shares a crowd with it, and so on. Without branches on who is found already: nobody
// could foretell them.
class Changing {
 public:
  explicit Changing(const Crowds& crowds, std::pmr::memory_resource* memory)
      : crowds_(crowds),
        found_(crowds.members().size(), 0, memory),
        seen_(crowds.size(), 0, memory),
        members_(crowds.members().size() + 1, memory),
        reached_(crowds.size() + 1, memory) {}
  void add(std::uint32_t member) { add(member, found_, members_, last_); }
  void spread() {
    for (std::size_t done = 0; done < last_ && last_ < found_.size(); ++done) {
      std::size_t crowds = 0;
      for (const auto& stake : crowds_.stakes().of(members_[done]))
        add(stake.crowd, seen_, reached_, crowds);
      for (std::size_t k = 0; k < crowds; ++k)
        for (const CrowdPart& part : crowds_.parts_of(reached_[k])) add(part.member);
    }
  }
  [[nodiscard]] bool found(std::uint32_t member) const { return found_[member] != 0; }

 private:
  using Marks = std::pmr::vector<std::uint8_t>;
  using Numbers = std::pmr::vector<std::uint32_t>;  // room for one more than there are
  static void add(std::uint32_t number, Marks& marks, Numbers& list, std::size_t& last) {
    list[last] = number;
    last += marks[number] == 0 ? 1 : 0;
    marks[number] = 1;
  }

  const Crowds& crowds_;
  Marks found_;  // by member
  Marks seen_;   // by crowd
  Numbers members_;
  Numbers reached_;
  std::size_t last_ = 0;  // members that were found
};

}  // namespace

void keep_steady(const Draft& draft, std::span<const std::uint32_t> placed, const Crowds& crowds,
                 Yields& yields) {
  const auto members = crowds.members();
  std::pmr::vector<std::uint8_t> crowded(draft.size(), 0, draft.memory());
  for (const CrowdMember& member : members) crowded[member.entry] = 1;
  for (const std::uint32_t i : placed) {
    if (crowded[i] == 0 && hardly_changes(draft.job(i), draft.placement(i), yields[i]))
      yields[i] = draft.job(i).yield;
  }
  Changing changing(crowds, draft.memory());
  for (std::uint32_t m = 0; m < members.size(); ++m) {
    const std::uint32_t i = members[m].entry;
    if (!hardly_changes(draft.job(i), draft.placement(i), yields[i])) changing.add(m);
  }
  changing.spread();
  for (std::uint32_t m = 0; m < members.size(); ++m) {
    const std::uint32_t i = members[m].entry;
    if (!changing.found(m)) yields[i] = draft.job(i).yield;
  }
}

}  // namespace aliquot
