// What the contended nodes of a draft come to. Each has a level, the smallest predicted stretch S at which
// the shares of its jobs fit, none of them below its floor. Rule 3 looks for a move that lowers the largest
// level, rule 4 turns the levels into yields.
//
// The floor of a job is a part of the fair share of its fullest node, so that a job that is late already
// does not starve the others, and never less than what is guaranteed to it. Where the floors together are
// more than a node has, the guarantees alone hold.
#pragma once

#include <vector>

#include "policies/aliquot/contention_groups.hpp"
#include "policies/aliquot/prediction.hpp"
#include "policies/aliquot/stretch_level.hpp"
#include "policies/draft.hpp"

namespace aliquot {

class Contention {
 public:
  // `floor`: the part of the fair share. Draft and predictions must outlive it, and not change.
  Contention(const Draft& draft, Predictions predictions, Yield floor);

  [[nodiscard]] bool any() const { return groups_.size() > 0; }
  [[nodiscard]] const ContentionGroups& groups() const { return groups_; }
  // By number of the job in groups().jobs().
  [[nodiscard]] Yield floor_of(std::uint32_t job) const { return floors_[job]; }

  // The largest level of a node, and the jobs on the first node that has it; 0 and none without contention.
  struct Worst {
    double stretch = 0;
    std::vector<std::uint32_t> jobs;  // entries
  };
  [[nodiscard]] Worst worst() const;
  // Is the largest level at most this?
  [[nodiscard]] bool is_within(double stretch) const;
  // The entries of the jobs on every node whose level is beyond this: no other job can lower the largest
  // level by leaving.
  [[nodiscard]] std::vector<std::uint32_t> jobs_on_all_beyond(double stretch) const;
  // Is there a node among those contended now whose level would certainly be beyond this if the job of this
  // entry stood at `to` instead, with the prediction `moved`? An empty `to` stands for anywhere else. False
  // means perhaps: floors would change, and only guarantees are looked at.
  [[nodiscard]] bool rules_out(double stretch, std::uint32_t entry, Shares to,
                               const Prediction& moved) const;

 private:
  using Tasks = ContentionGroups::Tasks;
  void set_floors(Predictions predictions, Yield part);
  [[nodiscard]] double cpu_at(std::uint32_t group, double stretch) const;
  [[nodiscard]] double least_cpu_at(std::uint32_t group, double stretch, Tasks moved_tasks,
                                    const Prediction& moved) const;
  [[nodiscard]] bool is_beyond(std::uint32_t group, double stretch) const;
  [[nodiscard]] std::vector<std::uint32_t> entries_of(std::uint32_t group) const;

  Predictions predictions_;
  ContentionGroups groups_;
  std::pmr::vector<Yield> floors_;          // by number of the job
  std::pmr::vector<Contender> contenders_;  // the same
};

// The largest predicted stretch of the placed jobs if all ran at full speed: no shares can do better.
[[nodiscard]] double stretch_at_full_speed(const Draft& draft, Predictions predictions);
// The same at the best shares.
[[nodiscard]] double largest_stretch(const Draft& draft, Predictions predictions, Yield floor);

}  // namespace aliquot
