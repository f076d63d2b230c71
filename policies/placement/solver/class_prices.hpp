// The values of requests where nodes differ in their free CPU, with a price on the CPU of larger nodes.
//
// The relaxation counts each request on the fewest nodes that could hold it alone, as if each had the
// largest nodes for itself. Together the requests cannot have these. A price on each granule of CPU of the
// larger nodes takes that into account. For any prices of at least 0
//   sum over classes k of price_k x (CPU of k)  +  sum over requests j of
//     ( 2|N| w_j - the least of  sum_k (w_j / q_jk + price_k c_j) x_jk )
// is at least the objective value of any placement: x_jk units of c_j granules are on class k, of which a
// node holds at most q_jk, so they take at least x_jk / q_jk nodes. The least is found by filling the
// cheapest classes first. The prices w / R_base - w / R_k (at least 0; R_k is the CPU of a node) leave a
// request of weight w indifferent between all nodes larger than R_base. Computed in doubles and rounded up
// by more than their error.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placement/solver/relaxation.hpp"

namespace aliquot::ip {

struct ItemValues {
  std::vector<Value> of_item;  // fixed-point, in the order of the relaxation's items
  Value constant = 0;          // fixed-point, to be added once
};

// The arguments must outlive it.
class ClassPrices {
 public:
  ClassPrices(const Instance& instance, const FreeCapacity& capacity, const Relaxation& relaxation);

  // R_base: at most eight amounts of free CPU of nodes, in increasing order. Empty: the nodes are alike or
  // of too many classes, or nodes cost nothing.
  [[nodiscard]] const std::vector<std::uint32_t>& bases() const { return bases_; }

  // The relaxation's own values.
  [[nodiscard]] ItemValues without_prices() const;
  [[nodiscard]] ItemValues with_prices(std::uint32_t base, std::int64_t weight) const;

  // Counted work of with_prices.
  [[nodiscard]] std::uint64_t work() const { return relaxation_.items.size() * (3 * capacity_.size() + 5); }

 private:
  [[nodiscard]] double least_cost(const Item& item, double weight, const std::vector<double>& price) const;

  const Instance& instance_;
  const FreeCapacity& capacity_;
  const Relaxation& relaxation_;
  std::vector<std::uint32_t> bases_;
  std::vector<std::vector<std::uint32_t>> units_;  // q, by shape and class
};

}  // namespace aliquot::ip
