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
#include "policies/aliquot/settling.hpp"

namespace aliquot {

class Crowds {
 public:
  Crowds(const Draft& draft, const Outlooks& outlooks, Yield floor);

  [[nodiscard]] bool any() const { return !crowds_.empty(); }
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

  // After settle(): by number of a member, the jobs that have tasks in a crowd; by number of a crowd.
  [[nodiscard]] std::span<const CrowdMember> members() const { return members_; }
  [[nodiscard]] const CrowdStakes& stakes() const { return stakes_; }
  [[nodiscard]] std::span<const CrowdPart> parts_of(std::uint32_t crowd) const {
    return parts_of(crowds_[crowd]);
  }
  [[nodiscard]] std::size_t size() const { return crowds_.size(); }

 private:
  void add_members();
  void set_floors(Yield floor);
  [[nodiscard]] double given(const Crowd& crowd, double stretch) const;
  [[nodiscard]] double least_given(const Crowd& crowd, double stretch, Claim other,
                                   const Outlook& after) const;
  [[nodiscard]] std::span<const Claim> claims_of(const Crowd& crowd) const { return lists_.of(crowd); }
  [[nodiscard]] std::span<const CrowdPart> parts_of(const Crowd& crowd) const {
    return {parts_.data() + crowd.first, crowd.last - crowd.first};
  }
  [[nodiscard]] double level_of(const Crowd& crowd);

  const Draft& draft_;
  const Outlooks& outlooks_;
  CrowdLists lists_;
  std::pmr::vector<Crowd> crowds_;
  std::pmr::vector<CrowdPart> parts_;  // as the claims of the lists
  CrowdStakes stakes_;
  std::pmr::vector<CrowdMember> members_;
  std::pmr::vector<Yield> floors_;  // by member
  std::pmr::vector<Yield> guaranteed_;
  LevelSearch search_;
};

}  // namespace aliquot
