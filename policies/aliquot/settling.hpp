// Stretch-aware shares: the CPU that crowded nodes give, so that the largest predicted stretch is as small
// as it can be, then the next largest, and so on (lexicographic).
//
// Each crowd has a level, the smallest S at which the shares of those fit that are not settled yet, none of
// them below its floor. The crowd of the highest level (of equals the first) is settled at it, which leaves
// others more, so that their levels fall: a level that was found before is an upper bound, and is found
// anew when its turn comes. Most levels need not be known to the last bit to know whose turn it is, or what
// yields follow from them: a range does (LevelSearch), and only where it does not, the level itself is
// searched. The yields are those of searching them all. Real numbers find S, whole ones give: every yield
// is rounded down, so no node gives more than it has.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "policies/aliquot/crowd_level.hpp"
#include "policies/aliquot/crowd_turns.hpp"
#include "policies/aliquot/rising_crowds.hpp"

namespace aliquot {

// The yields of all jobs on crowded nodes that get less than they need; the others are to be full already.
// `lists`: who stands there, where that is known already; else null.
void settle(const Draft& draft, const Outlooks& outlooks, const Floors& floors, const CrowdLists* lists,
            Hurry hurry, Yields& yields);

class Settling {
 public:
  using Crowd = RisingCrowds::Crowd;
  using Part = RisingCrowds::Part;
  // Both must outlive it.
  Settling(const RisingCrowds& crowds, Yields& yields, std::pmr::memory_resource* memory);

  // The yields of all members.
  void settle();

 private:
  // Members are settled one after the other.
  using Time = std::uint32_t;
  static constexpr Time kNever = UINT32_MAX;
  // What a level is that of: who was not settled then, and what was left beside those that were.
  struct State {
    Cpu spare;
    Time time = 0;
  };
  struct Place {
    State now;                 // its time is that of the last change
    State known;               // as its turn has it
    std::uint32_t rising = 0;  // parts that are not settled
    bool done = false;
    [[nodiscard]] bool stale() const { return now.time != known.time; }
  };
  [[nodiscard]] std::span<const Part> parts_of(std::uint32_t crowd) const {
    return crowds_.parts_of(crowds_.crowds()[crowd]);
  }
  void freeze(std::uint32_t member, Yield yield);
  [[nodiscard]] bool is_rising(std::uint32_t member) const { return settled_[member] == kNever; }
  void gather(std::uint32_t crowd, const State& state);
  [[nodiscard]] LevelRange range_of(std::uint32_t crowd, const State& state);
  [[nodiscard]] LevelRange exactly(std::uint32_t crowd, const State& state);
  [[nodiscard]] bool are_related(std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] bool first_is_worst(double low) const;
  [[nodiscard]] bool falls(std::uint32_t crowd, LevelRange& level);
  void settle_crowd(std::uint32_t crowd, LevelRange level);
  void take_turn();
  [[nodiscard]] Yield yield_at(std::uint32_t member, double stretch) const;

  const RisingCrowds& crowds_;
  Yields& yields_;
  LevelSearch search_;
  std::size_t rising_;  // members that are not settled
  std::pmr::vector<Place> places_;
  Time time_ = 0;
  std::pmr::vector<Time> settled_;  // by member: when
  CrowdTurns turns_;
};

}  // namespace aliquot
