// Stretch-aware shares: the CPU that crowded nodes give, so that the largest predicted stretch is as small
// as it can be, then the next largest, and so on (lexicographic).
//
// Each crowd has a level, the smallest S at which the shares of those fit that are not settled yet, none of
// them below its floor. The crowd of the highest level (of equals the first) is settled at it, which leaves
// others more, so that their levels fall: a level that was found before is an upper bound, and is found
// anew when its turn comes. Real numbers find S, whole ones give: every yield is rounded down, so no node
// gives more than it has.
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
  struct Place {
    Cpu spare;                 // beside those that are settled
    std::uint32_t rising = 0;  // parts that are not
    bool stale = false;        // has changed since its level was found
  };
  [[nodiscard]] std::span<const Part> parts_of(std::uint32_t crowd) const {
    return crowds_.parts_of(crowds_.crowds()[crowd]);
  }
  void freeze(std::uint32_t member, Yield yield);
  [[nodiscard]] double level_of(std::uint32_t crowd);
  void settle_crowd(std::uint32_t crowd, double level);
  void take_turn();

  const RisingCrowds& crowds_;
  Yields& yields_;
  LevelSearch search_;
  std::size_t rising_;  // members that are not settled
  std::pmr::vector<Place> places_;
  std::pmr::vector<std::uint8_t> settled_;  // by member
  CrowdTurns turns_;
};

}  // namespace aliquot
