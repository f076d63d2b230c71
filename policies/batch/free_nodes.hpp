// How many nodes are free, as a function of time: the profile of conservative backfilling.
//
// A step function: from the instant of a step on, until the next step, so many nodes are free. The steps
// stand in blocks that know their least and most, so that a search skips what cannot matter, and a change
// over a long span touches the blocks at its ends only: each costs about the square root of the number of
// steps. It knows neither jobs nor policies; counts may become negative where the caller lets them.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/model/time.hpp"

namespace aliquot {

class FreeNodes {
 public:
  struct Change {
    Instant at;
    std::int64_t nodes;
  };
  // Before `origin` nothing may be asked or changed. So many are free from then on, but for the changes (in
  // any order, none before `origin`), each for good.
  FreeNodes(Instant origin, std::int64_t free, std::vector<Change> changes = {});

  // In [from, to), for good if `to` is kNever.
  void add(Instant from, Instant to, std::int64_t nodes);

  [[nodiscard]] std::int64_t least(Instant from, Instant to) const;
  // The first instant in [from, until) with fewer than, or at least, so many free; kNever: there is none.
  [[nodiscard]] Instant first_below(Instant from, std::int64_t nodes, Instant until = kNever) const;
  [[nodiscard]] Instant first_at_least(Instant from, std::int64_t nodes, Instant until = kNever) const;
  // The first step later than `after`; kNever: there is none.
  [[nodiscard]] Instant next_step(Instant after) const;
  [[nodiscard]] std::size_t steps() const;

 private:
  struct Step {
    Instant at;
    std::int64_t free;  // less the block's `all`
  };
  struct Block {
    std::vector<Step> steps;  // never empty
    std::int64_t all = 0;     // to be added to every step
    std::int64_t least = 0;   // of the steps, `all` not counted
    std::int64_t most = 0;
    void survey();
  };
  struct Place {
    std::size_t block;
    std::size_t step;
  };

  [[nodiscard]] Place at(Instant instant) const;  // the step in force then
  [[nodiscard]] std::int64_t free_at(Place place) const;
  Place cut(Instant instant);   // makes a step begin there
  void merge(Instant instant);  // undoes a cut that tells nothing
  template <class Skip, class Hit>
  [[nodiscard]] Instant search(Instant from, Instant until, Skip&& skip, Hit&& hit) const;

  std::vector<Block> blocks_;
};

}  // namespace aliquot
