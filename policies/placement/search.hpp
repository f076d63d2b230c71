// Depth-first search over the items of a relaxation: the best set within the totals that also packs.
//
// An item is decided only while its reduced value is below the gap between the bound and the incumbent:
// taking one of negative reduced value, or leaving one of positive, costs that much of the bound, and what
// falls to the incumbent is cut off. Leaving an item leaves all later ones of its shape. Complete sets are
// packed; what cannot be packed counts as open, so that the bound stays proven. Stopped by counted work.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placement/packing.hpp"

namespace aliquot::ip {

class Search {
 public:
  Search(const Relaxation& relaxation, Packer& packer, Packing& best, std::size_t requests);

  // Improves `best` until nothing is left to look at, or the packer's work and its own have reached `most`.
  void run(std::uint64_t most);

  [[nodiscard]] Value bound() const { return bound_; }  // proven; a whole value, at least that of `best`
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  struct Step {
    std::uint32_t item = 0;
    bool taken = false;
    Value bound_before = 0;
  };

  [[nodiscard]] Value price_of_leaving(std::uint32_t item) const;
  void descend();
  void offer();
  bool step_back();
  void take(std::uint32_t item);
  void leave(std::uint32_t item);
  void undo(const Step& step);
  void close();

  const Relaxation& relaxation_;
  Packer& packer_;
  Packing& best_;
  Packing trial_;
  Value incumbent_ = 0;              // with kPlaces, as are the next
  Value open_ = 0;                   // the worth of the best set that did not pack for so much
  Value here_ = 0;                   // bound of the subtree
  Value worth_ = 0;                  // of the items taken
  std::vector<Value> rest_;          // positive reduced values of the later items of the same shape
  std::vector<std::int64_t> least_;  // CPU of the smallest item from here on
  Totals left_{};
  Flags set_;
  std::vector<std::uint8_t> shut_;  // by shape
  std::vector<Step> steps_;
  std::uint32_t next_ = 0;
  std::uint64_t work_ = 0;
  Value bound_ = 0;
  bool finished_ = false;
};

}  // namespace aliquot::ip
