// Stretch-aware shares: the CPU that crowded nodes give, so that the largest predicted stretch is as small
// as it can be, then the next largest, and so on (lexicographic).
//
// A node is crowded when its tasks need more than it has. Each crowded node has the smallest S at which the
// shares of its jobs fit; the jobs of the worst node are settled at its S, what they are given is taken off
// their other nodes, and so on. Nodes with the same tasks are one crowd and worked out once. No job gets
// less than `floor` of the fair share of its fullest node, so that one that is late already does not starve
// the others; nor less than is guaranteed to it. Who serves a penalty makes no progress whatever it gets,
// and lends its CPU to the others until then. Real numbers find S, whole ones give: every yield is rounded
// down, so no node gives more than it has.
#pragma once

#include <vector>

#include "policies/aliquot/crowd_level.hpp"
#include "policies/aliquot/crowd_lists.hpp"
#include "policies/aliquot/outlook.hpp"

namespace aliquot {

class Crowds {
 public:
  Crowds(const Draft& draft, const Outlooks& outlooks, Yield floor);

  [[nodiscard]] bool any() const { return !crowds_.empty(); }
  [[nodiscard]] const CrowdLists& lists() const { return lists_; }
  // The largest S of a node; 0 if none is crowded.
  [[nodiscard]] double worst();
  // Is it at most this?
  [[nodiscard]] bool within(double stretch) const;
  // Who has tasks where it is; after worst().
  [[nodiscard]] std::pmr::vector<std::uint32_t> jobs_of_worst() const;
  // Would a node that is crowded now be beyond this if the job of this entry stood at `to` instead (empty:
  // nowhere), with the outlook `after`? Looks at guarantees only, not at floors: no means perhaps.
  [[nodiscard]] bool surely_beyond(double stretch, std::uint32_t entry, Shares to,
                                   const Outlook& after) const;
  // Who has tasks on every node that is beyond this: nobody else can help by leaving.
  [[nodiscard]] std::pmr::vector<std::uint32_t> on_all_beyond(double stretch) const;

  // The yields, of all jobs that have tasks in a crowd: others need no less than they can get.
  void settle(Yields& yields);

 private:
  struct Crowd : CrowdLists::List {
    Cpu spare;         // beside those that are settled
    double level = 0;  // S
    bool stale = false;
    bool done = false;
  };
  // Tasks of a member, by its number, on each node of a crowd.
  struct Part {
    std::uint32_t member;
    std::uint32_t units;
  };
  struct Stake {
    std::uint32_t crowd;
    std::uint32_t units;
  };
  // A crowd whose turn it is at this level, or at a lower one.
  struct Turn {
    double level;
    std::uint32_t crowd;
    bool searched;
    // The worst first; of equals the first.
    [[nodiscard]] bool comes_after(const Turn& other) const {
      return level != other.level ? level < other.level : crowd > other.crowd;
    }
  };

  void add_members();
  void set_floors(Yield floor);
  [[nodiscard]] double given(const Crowd& crowd, double stretch) const;
  [[nodiscard]] double least_given(const Crowd& crowd, double stretch, Claim other,
                                   const Outlook& after) const;
  [[nodiscard]] Yield yield_at(std::uint32_t member, double stretch) const;
  [[nodiscard]] std::span<const Claim> claims_of(const Crowd& crowd) const { return lists_.of(crowd); }
  [[nodiscard]] std::span<const Part> parts_of(const Crowd& crowd) const {
    return {parts_.data() + crowd.first, crowd.last - crowd.first};
  }
  // Who is to be settled; at_first: who was, once the CPU of those that serve a penalty was lent.
  void gather(const Crowd& crowd, bool at_first);
  [[nodiscard]] double level_of(const Crowd& crowd);
  void index_parts();
  void lend(Yields& yields);
  [[nodiscard]] bool is_final(Turn& turn);
  static void put_in_order(std::span<Turn> turns);
  void freeze(std::uint32_t member, Yield yield, Yields& yields);

  const Draft& draft_;
  const Outlooks& outlooks_;
  CrowdLists lists_;
  std::pmr::vector<Crowd> crowds_;
  std::pmr::vector<Part> parts_;  // as the claims of the lists
  std::pmr::vector<CrowdMember> members_;
  std::pmr::vector<Yield> floors_;  // by member
  std::pmr::vector<Yield> guaranteed_;
  LevelSearch search_;
  std::size_t rising_ = 0;          // members that are not settled
  std::pmr::vector<Cpu> at_first_;  // by crowd: spare, once the CPU of those that serve a penalty was lent
  // Where a member has tasks: the crowds, one member after the other, and where its own begin.
  std::pmr::vector<Stake> stakes_;
  std::pmr::vector<std::uint32_t> stakes_from_;
};

}  // namespace aliquot
