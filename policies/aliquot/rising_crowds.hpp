// Who has to share the CPU of crowded nodes, once those have lent theirs that serve a penalty: they make no
// progress whatever they get, and are given next to nothing until then.
//
// What they lend is enough for the others on many nodes. Of the rest, nodes with the same tasks of the same
// jobs are one crowd, with what that node has left that has least: its level is the highest of theirs, and
// when it is settled, so are all. A hash finds the lists that are equal.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "policies/aliquot/crowd_level.hpp"
#include "policies/aliquot/crowd_lists.hpp"
#include "policies/aliquot/floors.hpp"
#include "policies/aliquot/hurry.hpp"

namespace aliquot {

class RisingCrowds {
 public:
  // Tasks of a member, by its number, on each node of a crowd.
  struct Part {
    std::uint32_t member;
    std::uint32_t units;
    friend bool operator==(const Part&, const Part&) = default;
  };
  struct Crowd {
    std::uint32_t first = 0;  // of its parts, which are in the order of the entries
    std::uint32_t last = 0;
    Cpu spare;  // what the node of it that has least has left
  };
  struct Stake {
    std::uint32_t crowd;
    std::uint32_t units;
  };

  // Gives those that lend what they get. `lists`: who stands on crowded nodes, where that is known already;
  // else null.
  RisingCrowds(const Draft& draft, const Outlooks& outlooks, const Floors& floors, const CrowdLists* lists,
               Hurry hurry, Yields& yields);

  // In the order of the first nodes that are so.
  [[nodiscard]] std::span<const Crowd> crowds() const { return crowds_; }
  [[nodiscard]] std::span<const CrowdMember> members() const { return members_; }
  [[nodiscard]] std::span<const Part> parts_of(const Crowd& crowd) const {
    return {parts_.data() + crowd.first, parts_.data() + crowd.last};
  }
  // The crowds in which this member has tasks.
  [[nodiscard]] std::span<const Stake> stakes_of(std::uint32_t member) const {
    return {stakes_.data() + stakes_from_[member], stakes_.data() + stakes_from_[member + 1]};
  }

 private:
  // A node that is still crowded.
  struct Full {
    Cpu spare;
    std::uint64_t hash;  // of its parts, added up
    std::uint32_t first;
    std::uint32_t end;  // where its next part is written, until all are
  };
  struct Left {
    Cpu spare;
    Cpu load;
  };
  using Lefts = std::pmr::vector<Left>;  // by node; empty: nobody lends
  using Numbers = std::pmr::vector<std::uint32_t>;

  [[nodiscard]] Lefts lend(const Draft& draft, const Outlooks& outlooks, const Floors& floors,
                           Yields& yields, Numbers& rising) const;
  [[nodiscard]] static Lefts nothing_lent(const Draft& draft);
  void gather_full(const Draft& draft, const Floors& floors, const Lefts& lefts, Numbers& at);
  void gather_parts(const Draft& draft, const Outlooks& outlooks, const Floors& floors,
                    const Numbers& rising, const Numbers& at);
  void gather_listed(const Draft& draft, const Outlooks& outlooks, const Floors& floors,
                     const CrowdLists& lists, Yields& yields);
  [[nodiscard]] CrowdMember member_of(const Outlook& job, Yield floor, std::uint32_t entry) const {
    return crowd_member(hurry_.hurried(job), floor, entry);
  }
  void unite(std::pmr::memory_resource* memory);
  void index_stakes();

  const Hurry hurry_;
  std::pmr::vector<Full> full_;
  std::pmr::vector<Crowd> crowds_;
  std::pmr::vector<Part> parts_;
  std::pmr::vector<CrowdMember> members_;
  std::pmr::vector<Stake> stakes_;
  Numbers stakes_from_;  // by member
};

}  // namespace aliquot
