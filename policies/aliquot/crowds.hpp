// What crowded nodes come to: each has the smallest S at which the shares of its jobs fit. Nodes with the
// same tasks are one crowd and worked out once. What they then give is not worked out here (settling.hpp).
#pragma once

#include <optional>
#include <vector>

#include "policies/aliquot/crowd_level.hpp"
#include "policies/aliquot/crowd_lists.hpp"
#include "policies/aliquot/floors.hpp"
#include "policies/aliquot/outlook.hpp"

namespace aliquot {

// Is the largest S of a node at most this, worked out job by job, without putting crowds together? No means
// perhaps.
[[nodiscard]] bool surely_within(const Draft& draft, const Outlooks& outlooks, const Floors& floors,
                                 double stretch);

class Crowds {
 public:
  // `floor`: as Floors has it.
  Crowds(const Draft& draft, const Outlooks& outlooks, Yield floor);

  [[nodiscard]] bool any() const { return !crowds_.empty(); }
  [[nodiscard]] const CrowdLists& lists() const { return lists_; }
  [[nodiscard]] const Floors& floors() const { return *floors_; }  // if there are any
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

 private:
  struct Crowd : CrowdLists::List {
    Cpu spare;         // what its nodes have
    double level = 0;  // S
  };
  // Tasks of a member, by its number, on each node of a crowd.
  struct CrowdPart {
    std::uint32_t member;
    std::uint32_t units;
  };
  void add_members();
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
  std::optional<Floors> floors_;
  std::pmr::vector<Crowd> crowds_;
  std::pmr::vector<CrowdPart> parts_;  // as the claims of the lists
  std::pmr::vector<CrowdMember> members_;
  LevelSearch search_;
};

}  // namespace aliquot
