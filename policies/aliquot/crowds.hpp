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

#include "policies/aliquot/outlook.hpp"

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
  // Who has tasks on every node that is beyond this: nobody else can help by leaving.
  [[nodiscard]] std::pmr::vector<std::uint32_t> on_all_beyond(double stretch) const;

  // The yields, of all jobs that have tasks in a crowd: others need no less than they can get.
  void settle(Yields& yields);

 private:
  struct Claim {
    std::uint32_t entry;
    std::uint32_t units;
    friend bool operator==(const Claim&, const Claim&) = default;
  };
  struct Crowd {
    std::uint32_t first;  // of its claims
    std::uint32_t last;
    std::uint32_t node;  // the first that is so
    Cpu spare;           // beside those that are settled
    double level = 0;    // S
    bool stale = false;
    bool done = false;
  };
  // Of a job in a crowd.
  struct Member {
    double need = 0;
    double least = 0;
    Yield floor;
    bool rising = true;
  };

  void gather();
  void join_equal_nodes(const std::pmr::vector<std::uint32_t>& nodes,
                        const std::pmr::vector<std::uint32_t>& ends, const std::pmr::vector<Claim>& claims,
                        const std::pmr::vector<std::uint64_t>& mixed);
  void set_floors(Yield floor);
  [[nodiscard]] double level_of(const Crowd& crowd) const;
  [[nodiscard]] double given(const Crowd& crowd, double stretch, double& slope) const;
  [[nodiscard]] Yield yield_at(std::uint32_t entry, double stretch) const;
  [[nodiscard]] const Crowd* find_worst() const;
  void lend(Yields& yields);
  void freeze(std::uint32_t entry, Yield yield, Yields& yields);

  const Draft& draft_;
  const Outlooks& outlooks_;
  std::pmr::vector<Crowd> crowds_;
  std::pmr::vector<Claim> claims_;    // of the crowds, one after the other
  std::pmr::vector<Member> members_;  // by entry
};

}  // namespace aliquot
