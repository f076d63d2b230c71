// The shares of those that crowded nodes hold: crowd by crowd, the worst first.
//
// Each crowd has a level, the smallest S at which the shares of those fit that are not settled yet. The
// crowd of the highest level (of equals the first) is settled at it, which leaves others more, so that
// their levels fall: a level that was found before is an upper bound, and is found anew when its turn
// comes. Most levels need not be known to the last bit to know whose turn it is, or what yields follow from
// them: a range does (LevelSearch), and only where it does not, the level itself is searched. The yields
// are those of searching them all.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "policies/aliquot/crowd_level.hpp"
#include "policies/aliquot/crowd_lists.hpp"
#include "policies/aliquot/crowd_turns.hpp"
#include "policies/aliquot/outlook.hpp"

namespace aliquot {

struct Crowd : CrowdLists::List {
  Cpu spare;         // what its nodes have
  double level = 0;  // S
};

// Tasks of a member, by its number, on each node of a crowd.
struct CrowdPart {
  std::uint32_t member;
  std::uint32_t units;
};

// Where members have tasks: the crowds, one member after the other.
class CrowdStakes {
 public:
  struct Stake {
    std::uint32_t crowd;
    std::uint32_t units;
  };
  explicit CrowdStakes(std::pmr::memory_resource* memory) : stakes_(memory), from_(memory) {}
  void index(std::span<const Crowd> crowds, std::span<const CrowdPart> parts, std::size_t members);
  [[nodiscard]] std::span<const Stake> of(std::uint32_t member) const {
    return {stakes_.data() + from_[member], stakes_.data() + from_[member + 1]};
  }

 private:
  std::pmr::vector<Stake> stakes_;
  std::pmr::vector<std::uint32_t> from_;  // by member: where its own begin
};

class Settling {
 public:
  // By crowd its parts; by member the rest. All must outlive it.
  struct Crowded {
    std::span<const Crowd> crowds;
    std::span<const CrowdPart> parts;
    const CrowdStakes& stakes;
    std::span<const CrowdMember> members;
    std::span<const Yield> floors;
    std::span<const Yield> guaranteed;
  };
  Settling(const Draft& draft, const Outlooks& outlooks, const Crowded& crowded);

  // The yields of all members.
  void settle(Yields& yields);

 private:
  // Members are settled one after the other; those that serve a penalty before all others.
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
  [[nodiscard]] std::span<const CrowdPart> parts_of(std::uint32_t crowd) const {
    const Crowd& list = crowded_.crowds[crowd];
    return crowded_.parts.subspan(list.first, list.last - list.first);
  }
  void lend(Yields& yields);
  void drop_dominated();
  void freeze(std::uint32_t member, Yield yield, Yields& yields);
  [[nodiscard]] bool is_rising(std::uint32_t member) const { return settled_[member] == kNever; }
  void gather(std::uint32_t crowd, const State& state);
  [[nodiscard]] LevelRange range_of(std::uint32_t crowd, const State& state);
  [[nodiscard]] LevelRange exactly(std::uint32_t crowd, const State& state);
  [[nodiscard]] bool are_related(std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] bool first_is_worst() const;
  [[nodiscard]] bool falls(std::uint32_t crowd, LevelRange& level);
  void settle_crowd(std::uint32_t crowd, LevelRange level, Yields& yields);
  void take_turn(Yields& yields);
  [[nodiscard]] Yield yield_at(std::uint32_t member, double stretch) const;

  const Draft& draft_;
  const Outlooks& outlooks_;
  Crowded crowded_;
  LevelSearch search_;
  std::size_t rising_;  // members that are not settled
  std::pmr::vector<Place> places_;
  Time time_ = 0;
  std::pmr::vector<Time> settled_;  // by member: when
  CrowdTurns turns_;
};

}  // namespace aliquot
