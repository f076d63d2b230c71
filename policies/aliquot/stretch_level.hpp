// The level of a contended node: the smallest predicted stretch S at which the shares of its jobs fit into
// the CPU that it has for them. It is found by Newton's method.
#pragma once

#include <vector>

#include "policies/aliquot/prediction.hpp"

namespace aliquot {

// Collects the jobs on a node, and finds its level.
class StretchLevel {
 public:
  void clear();
  // So many tasks of a job, which gets the share that a stretch asks for, and `floor` at least.
  void add(const Prediction& job, std::uint32_t tasks, Yield floor);

  // The CPU that the jobs get at this stretch, in micro-cores.
  [[nodiscard]] double cpu_at(double stretch) const { return given_at(stretch).cpu; }
  // The level at which the jobs fit into this much CPU; 0 if all that they need fits. They leave no more
  // than a few billionths of it, unless all stand on their floors.
  [[nodiscard]] double find(double cpu) const;

 private:
  struct Part {
    double need;
    double floor;
    double need_at_floor;
    double late;  // flow time and the rest of a penalty
    double remaining;
    double run_time;
    [[nodiscard]] double stretch_at(double share) const { return (remaining / share + late) / run_time; }
  };
  struct Given {
    double cpu = 0;
    double slope = 0;  // how it changes with the stretch
  };
  [[nodiscard]] Given given_at(double stretch) const;
  [[nodiscard]] double first_guess(double cpu) const;
  [[nodiscard]] double of_two(double cpu) const;

  std::vector<Part> parts_;
  double load_ = 0;  // what the jobs need
  double best_ = 0;  // the smallest stretch of any of them at full speed
};

}  // namespace aliquot
