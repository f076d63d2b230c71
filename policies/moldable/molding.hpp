// Molding: the number of tasks of a moldable job, chosen when it is admitted and kept for its whole run.
//
// A job offers a range of task counts, how its run time depends on their number, and its memory. A rule
// chooses from the range, given the cluster as it is; it knows no run time, neither of this job nor of the
// others. Three rules:
//
// Fixed: the smallest, the largest, or a given number of tasks, brought into the range.
//
// LoadBalance: the molding loop of Das, Sudhakaran and Ashok, "Learning Based Performance and Power
// Efficient Cluster Resource Manager for CPU-GPU Cluster", sec. III-A. It starts from a number of tasks,
// and takes fewer while the load factors of the nodes that they would stand on differ by the threshold or
// more, and while fewer tasks have memory. The paper submits the job to see the load factors, and submits
// it again; here they are foreseen.
//
// LeastStretch: our own. The stretch of a job is relative to its run time alone on the best number of tasks
// of its range. On n tasks it comes to
//   own(n) = slowdown(n) x max(1, load factor of the fullest of its nodes), slowdown(n) = S(best) / S(n).
// More tasks need more CPU in all, since a speed-up is below linear, and leave less to others. With rho(n),
// the CPU that all jobs need over that of the cluster, the others must expect
//   others(n) = 1 + (a - 1) rho(n), and a rho(n) from rho(n) = 1 on,
// where a is the slowdown that is acceptable to every job. Of the numbers with slowdown(n) <= a, the rule
// takes the one with the smallest max(own, others), the smaller one of equals. So an idle cluster gives a
// job its best number, and a full one the smallest acceptable number. Numbers that the nodes could not hold
// even if they were empty are left out, and the best number is one of the others.
//
// Pure: the same view, offer and rule give the same choice. Ratios are double, inside the decision only.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "policies/moldable/cluster_load.hpp"
#include "policies/moldable/speedup.hpp"

namespace aliquot::moldable {

// Both ends belong to it.
struct TaskRange {
  std::uint32_t least = 1;
  std::uint32_t most = 1;
  [[nodiscard]] std::uint32_t nearest(std::uint32_t tasks) const {
    return tasks < least ? least : tasks > most ? most : tasks;
  }
  friend bool operator==(const TaskRange&, const TaskRange&) = default;
};

class MoldableOffer {
 public:
  // Of a task: its CPU need, and the memory that it has whatever their number. `divided`: the memory of the
  // problem, which the tasks divide among them. Errors: a range that is empty or beyond kMostTasks, or
  // negative memory (invalid_argument).
  [[nodiscard]] static Result<MoldableOffer> of(TaskRange range, SpeedupModel model, Cpu need,
                                                Memory of_task, Memory divided = {});

  [[nodiscard]] TaskRange range() const { return range_; }
  [[nodiscard]] const SpeedupModel& model() const { return model_; }
  [[nodiscard]] TaskSet on(std::uint32_t tasks) const;
  // How many times longer it runs alone on so many tasks than on the other number.
  [[nodiscard]] double slowdown(std::uint32_t tasks, std::uint32_t than) const;

 private:
  MoldableOffer(TaskRange range, SpeedupModel model, Cpu need, Memory of_task, Memory divided)
      : range_(range), model_(std::move(model)), need_(need), of_task_(of_task), divided_(divided) {}
  TaskRange range_;
  SpeedupModel model_;
  Cpu need_;
  Memory of_task_;
  Memory divided_;
};

struct Fixed {
  std::optional<std::uint32_t> tasks;  // none: the largest of the range
};
struct LoadBalance {
  double threshold = 0.5;              // of the load factors' difference; the paper gives no value
  std::optional<std::uint32_t> start;  // from the knowledge base; none: the largest of the range
};
struct LeastStretch {
  double acceptable = 2.5;  // a, at least 1; found by simulation (docs/moldable.md)
};
using MoldingRule = std::variant<Fixed, LoadBalance, LeastStretch>;

enum class MoldingReason : std::uint8_t {
  given,              // Fixed
  outside,            // Fixed: the number is not in the range, whose nearest end was taken
  balanced,           // LoadBalance: the load factors differ by less than the threshold
  least_of_range,     // LoadBalance: they differ by more, but the range allows no fewer tasks
  memory,             // LoadBalance: they differ by more, but fewer tasks would have too much memory each
  best_number,        // LeastStretch: no further task would make it faster
  fewest_acceptable,  // LeastStretch: fewer tasks would make it too slow, or need too much memory each
  least_stretch,      // LeastStretch: fewer tasks, or more, make the larger of the two stretches larger
  never_fits,         // LeastStretch: the nodes that take new tasks could hold no number of the range
};

struct MoldingChoice {
  std::uint32_t tasks = 1;
  MoldingReason reason = MoldingReason::given;
  double slowdown = 1;                                // alone, than on the best number
  double load = 0;                                    // of the cluster, with the job
  std::optional<ClusterLoad::LoadFactors> factors{};  // none: it has to wait for memory
  double own = 1;                                     // LeastStretch
  double others = 1;                                  // LeastStretch
};

[[nodiscard]] MoldingChoice mold(const ClusterView& view, const MoldableOffer& offer,
                                 const MoldingRule& rule);

// One sentence, with the figures: why so many tasks.
[[nodiscard]] std::string explain(const MoldingChoice& choice);

}  // namespace aliquot::moldable
