// Branch and bound over the items of a relaxation: the best set within its constraints that also packs.
//
// Depth first. An item is branched on only while its reduced value is below the gap between bound and
// incumbent: to include an item of negative reduced value, or exclude one of positive, costs that much of
// the bound, and a branch whose bound falls to the incumbent is cut off. To exclude an item excludes all
// later ones of its shape. Complete sets are packed; one that cannot be packed whole counts as open, so
// that the bound stays proven. Stopped by counted work.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placement/solver/packer.hpp"
#include "policies/placement/solver/relaxation.hpp"

namespace aliquot::ip {

class BranchAndBound {
 public:
  // `requests`: how many there are. All arguments must outlive it.
  BranchAndBound(const Relaxation& relaxation, Packer& packer, Packing& best, std::size_t requests);

  // Improves `best` until the tree is searched, or the packer's work and its own reach `most_work`.
  void run(std::uint64_t most_work);

  [[nodiscard]] Value bound() const { return whole(std::max(incumbent_, open_)); }  // proven
  [[nodiscard]] bool finished() const { return !stopped_; }
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  void visit(std::size_t item, Value bound, Value value, const Amounts& left);
  void pack_set(Value value);
  [[nodiscard]] Value cost_of_excluding(std::size_t item) const;

  const Relaxation& relaxation_;
  Packer& packer_;
  Packing& best_;
  // Values are fixed-point.
  Value incumbent_ = 0;
  Value open_ = 0;                       // bound of the branches not searched and the sets not packed whole
  std::vector<Value> later_of_shape_;    // positive reduced values of the later items of the same shape
  std::vector<std::int64_t> least_cpu_;  // of any item from here on
  RequestSet set_;                       // of the items included
  std::vector<bool> excluded_shape_;
  std::uint64_t most_work_ = 0;
  std::uint64_t work_ = 0;
  bool stopped_ = false;
};

}  // namespace aliquot::ip
