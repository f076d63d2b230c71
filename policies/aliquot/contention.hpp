// What the contended nodes of a draft come to. Each has a level, the smallest predicted stretch S at which
// the shares of its jobs fit, none of them below its floor. (A level of the packing, dfrs/objective.hpp, is
// the larger the better; repacking packs at the level 1 / S.) Rule 3 looks for a move that lowers the
// largest level, rule 4 turns the levels into yields.
//
// The floor of a job is a part of the fair share of its fullest node, less by its weight where that is
// below 1, so that a job that is late already does not starve the others, and never less than what is
// guaranteed to it. Where the floors together are more than a node has, the guarantees alone hold.
#pragma once

#include <vector>

#include "policies/aliquot/contention_groups.hpp"
#include "policies/aliquot/prediction.hpp"
#include "policies/draft.hpp"

namespace aliquot {

class Contention {
 public:
  // `floor`: the part of the fair share. The predictions must outlive it, and not change.
  Contention(const Draft& draft, Predictions predictions, Yield floor);

  [[nodiscard]] const ContentionGroups& groups() const { return groups_; }
  // Of a job with tasks on contended nodes, by its entry.
  [[nodiscard]] Yield floor_of(std::uint32_t i) const { return floors_[i]; }

  // The largest level of a node, and the jobs on the first node that has it; 0 and none without contention.
  struct Worst {
    double stretch = 0;
    std::vector<std::uint32_t> jobs;  // entries
  };
  [[nodiscard]] Worst worst() const;
  // Whether a node would have a level above this stretch even if the job stood nowhere: the others alone
  // need too much of it, however low their floors are. Wherever that job goes, it is so.
  [[nodiscard]] bool exceeds_without(std::uint32_t i, double stretch) const;

 private:
  void set_floors(const Draft& draft, Yield part);

  Predictions predictions_;
  ContentionGroups groups_;
  std::vector<Yield> floors_;  // by entry
};

// The largest predicted stretch of the placed jobs if all ran at full speed: no shares can do better.
[[nodiscard]] double stretch_at_full_speed(const Draft& draft, Predictions predictions);
// The same at the best shares.
[[nodiscard]] double largest_stretch(const Draft& draft, Predictions predictions, Yield floor);

}  // namespace aliquot
