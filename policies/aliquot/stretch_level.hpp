// The level of a contended node: the smallest predicted stretch S at which the shares of its jobs fit into
// the CPU that it has for them. It is found by Newton's method.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "policies/aliquot/prediction.hpp"

namespace aliquot {

// A job on contended nodes: what its share at a stretch S follows from. Seconds, and CPU in micro-cores.
struct Contender {
  double need = 0;   // of a task
  double floor = 0;  // the least share
  double late = 0;   // flow time and the rest of a penalty
  double remaining = 0;
  double run_time = 0;
  double at_full_speed = 0;

  Contender(const Prediction& job, Yield least)
      : need(static_cast<double>(job.need.raw)),
        floor(static_cast<double>(least.raw) * 1e-6),
        late(job.flow_time + job.penalty),
        remaining(job.remaining),
        run_time(job.run_time),
        at_full_speed(job.at_full_speed) {}

  // share(S), floor or not: all it needs where S can be met at full speed at best.
  [[nodiscard]] double share(double stretch) const {
    const double left = stretch * run_time - late;
    return left <= remaining ? 1 : remaining / left;
  }
  // The CPU that this many tasks get at S, each at least a share of `least`.
  [[nodiscard]] double cpu(std::uint32_t tasks, double stretch, double least) const {
    return need * tasks * std::max(least, share(stretch));
  }
};

// Collects the jobs on a node, and finds its level.
class StretchLevel {
 public:
  explicit StretchLevel(std::pmr::memory_resource* memory) : parts_(memory) {}

  void clear();
  void add(const Contender& job, std::uint32_t tasks);

  // The level at which the jobs fit into this much CPU; 0 if all that they need fits. They leave no more
  // than a few billionths of it, unless all stand on their floors.
  [[nodiscard]] double find(double cpu) const;

 private:
  struct Part {
    double need;  // of all tasks here
    double floor;
    double need_at_floor;
    double late;
    double remaining;
    double run_time;
  };
  struct Given {
    double cpu = 0;
    double slope = 0;  // how it changes with the stretch
  };
  [[nodiscard]] Given given_at(double stretch) const;
  [[nodiscard]] double first_guess(double cpu) const;
  [[nodiscard]] double of_one(double cpu) const;
  [[nodiscard]] double of_two(double cpu) const;

  std::pmr::vector<Part> parts_;
  double load_ = 0;  // what the jobs need
  double best_ = 0;  // the smallest stretch of any of them at full speed
};

}  // namespace aliquot
