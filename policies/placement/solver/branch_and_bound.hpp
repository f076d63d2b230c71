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

  [[nodiscard]] Value bound() const { return whole(bound_); }  // proven; at least the value of `best`
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  struct Branch {
    std::uint32_t item = 0;
    bool included = false;
    Value bound_before = 0;
  };

  [[nodiscard]] Value cost_of_excluding(std::uint32_t item) const;
  void include(std::uint32_t item);
  void exclude(std::uint32_t item);
  void undo(const Branch& branch);
  void descend();
  void pack_set();
  bool backtrack();

  const Relaxation& relaxation_;
  Packer& packer_;
  Packing& best_;
  // Values are fixed-point.
  Value incumbent_ = 0;
  Value open_ = 0;                       // value of the best set that did not pack whole
  Value node_bound_ = 0;                 // of the subtree
  Value value_ = 0;                      // of the items included
  std::vector<Value> later_of_shape_;    // positive reduced values of the later items of the same shape
  std::vector<std::int64_t> least_cpu_;  // of any item from here on
  Amounts left_{};
  RequestSet set_;
  std::vector<std::uint8_t> excluded_shape_;
  std::vector<Branch> path_;
  std::uint32_t next_ = 0;  // item
  std::uint64_t work_ = 0;
  Value bound_ = 0;
  bool finished_ = false;
};

}  // namespace aliquot::ip
