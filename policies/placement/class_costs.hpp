// What the requests are worth where nodes differ in how much CPU is free on them.
//
// A relaxation counts each request on the fewest nodes that could hold it alone: as if each had the
// roomiest nodes for itself. Together they cannot. A price on each step of CPU of the roomier nodes says
// so:
//   sum over classes k of price_k x (CPU of k)  +  sum over requests j of
//     ( 2|N| w_j - the least of  sum_k (w_j / q_jk + price_k c_j) x_jk )
// is at least what any placement is worth, whatever the prices (at least 0) are: x_jk units of c_j steps on
// the class, of which a node holds q_jk at most, so that they take x_jk / q_jk nodes at least. The least is
// found by filling the cheapest classes first. With prices w / R_base - w / R_k (0 where that is negative;
// R_k is the CPU of a node) a request of weight w is indifferent between all nodes roomier than R_base.
// Reckoned in doubles, and rounded up by more than these can be off.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placement/relaxation.hpp"

namespace aliquot::ip {

struct Worths {
  std::vector<Value> of_item;  // with kPlaces, in the order of the relaxation's items
  Value constant = 0;          // with kPlaces: to be added once
};

class ClassCosts {
 public:
  // All must outlive it.
  ClassCosts(const Instance& instance, const Rooms& rooms, const Relaxation& relaxation);

  // The CPU of nodes that a price may start from, in increasing order: at most kMostBases. Empty: the nodes
  // are alike, or of too many classes, or nodes cost nothing.
  [[nodiscard]] const std::vector<std::uint32_t>& bases() const { return bases_; }

  // As the relaxation has them: each on its fewest nodes.
  [[nodiscard]] Worths alone() const;
  [[nodiscard]] Worths with_prices(std::uint32_t base, std::int64_t weight);

  // Counted work of one call.
  [[nodiscard]] std::uint64_t work() const { return relaxation_.items.size() * (3 * rooms_.size() + 5); }

  static constexpr std::size_t kMostBases = 8;

 private:
  struct Option {
    double cost = 0;  // of a unit
    std::uint32_t room = 0;
  };

  [[nodiscard]] double least_cost(const Item& item, const Request& request, double weight);

  const Instance& instance_;
  const Rooms& rooms_;
  const Relaxation& relaxation_;
  std::vector<std::uint32_t> bases_;
  std::vector<std::uint32_t> held_;  // by shape and room: units that a node holds
  std::vector<double> price_;        // by room: of a step of CPU
  std::vector<Option> options_;
};

}  // namespace aliquot::ip
