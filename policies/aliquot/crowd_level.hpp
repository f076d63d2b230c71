// The smallest predicted stretch at which the shares of some jobs fit what a node has to give.
#pragma once

#include <memory_resource>
#include <vector>

#include "policies/aliquot/outlook.hpp"

namespace aliquot {

// A job on crowded nodes: what its share follows from (Outlook), in seconds, and CPU in micro-cores.
struct CrowdMember {
  double need = 0;   // of a task
  double least = 0;  // share that it gets whatever the stretch
  double late = 0;   // flow time and what is left of a penalty
  double rest = 0;
  double whole = 0;
  double at_full = 0;
  std::uint32_t entry = 0;
  Yield floor{};  // `least`, to the millionth

  // Full where S can be met at full speed at best; floors are another matter.
  [[nodiscard]] double share(double stretch) const {
    const double left = stretch * whole - late;
    return left <= rest ? 1 : rest / left;
  }
};
[[nodiscard]] inline CrowdMember crowd_member(const Outlook& job, Yield floor, std::uint32_t entry) {
  return {static_cast<double>(job.need.raw),
          static_cast<double>(floor.raw) * 1e-6,
          job.flow + job.stall,
          job.rest,
          job.whole,
          job.at_full,
          entry,
          floor};
}

// Who shares a node, side by side in memory, to be asked about many stretches.
class LevelSearch {
 public:
  explicit LevelSearch(std::pmr::memory_resource* memory) : parts_(memory) {}

  void clear();
  void add(const CrowdMember& member, std::uint32_t units);

  // Where they fit into so much CPU; 0 if all they need fits. They leave no more of it than a few
  // thousand-millionths, unless they stand on their least shares. No less CPU leads to a lower level, but
  // for rounding.
  [[nodiscard]] double level(double spare) const;

 private:
  struct Part {
    double need;        // of all its tasks here
    double least;       // share
    double need_least;  // CPU at that
    double late;
    double rest;
    double whole;
  };
  // What they are given at this stretch, and how fast that changes.
  [[nodiscard]] double given(double stretch, double& slope) const;
  [[nodiscard]] double root_of_one(double spare) const;
  [[nodiscard]] double root_of_two(double spare) const;

  std::pmr::vector<Part> parts_;
  double load_ = 0;  // what they need
  double best_ = 0;  // the smallest stretch of any of them, at full speed
};

}  // namespace aliquot
