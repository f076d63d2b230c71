// The smallest predicted stretch at which the shares of some jobs fit what a node has to give.
#pragma once

#include <memory_resource>
#include <optional>
#include <vector>

#include "policies/aliquot/level_range.hpp"
#include "policies/aliquot/outlook.hpp"

namespace aliquot {

// A job on crowded nodes: what its share follows from (Outlook), in seconds, and CPU in micro-cores.
struct CrowdMember {
  double need = 0;   // of a task
  double least = 0;  // share that it gets whatever the stretch
  double flow = 0;
  double stall = 0;
  double rest = 0;
  double whole = 0;
  double at_full = 0;
  std::uint32_t entry = 0;
  Yield floor{};  // `least`, to the millionth

  // Full where S can be met at full speed at best; floors are another matter.
  [[nodiscard]] double share(double stretch) const {
    const double left = stretch * whole - flow - stall;
    return left <= rest ? 1 : rest / left;
  }
};
[[nodiscard]] inline CrowdMember crowd_member(const Outlook& job, Yield floor, std::uint32_t entry) {
  return {static_cast<double>(job.need.raw),
          static_cast<double>(floor.raw) * 1e-6,
          job.flow,
          job.stall,
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
  [[nodiscard]] bool empty() const { return parts_.empty(); }

  // Where they fit into so much CPU; 0 if all they need fits. On the side that fits, to a millionth.
  [[nodiscard]] double level(double spare) const;
  // Where level(spare) is for certain, to a few millionths: what that finds follows to the last bit from
  // the way it takes, but where it ends can be told much sooner. None where nothing is certain.
  [[nodiscard]] std::optional<LevelRange> range(double spare) const;
  // If there is so much less CPU, the level is higher, whoever of them is settled in the meantime.
  [[nodiscard]] bool surely_higher(double spare, double less) const;

 private:
  struct Part {
    double need;        // of all its tasks here
    double least;       // share
    double need_least;  // CPU at that
    double flow;
    double stall;
    double rest;
    double whole;
  };
  // What they are given at this stretch, and how fast that changes.
  [[nodiscard]] double given(double stretch, double& slope) const;
  [[nodiscard]] std::optional<LevelRange> range_of_one(double spare) const;
  [[nodiscard]] double root_of_two(double spare, double times) const;
  [[nodiscard]] double root(double spare, double below, double above) const;
  [[nodiscard]] bool is_certain(double spare, double root, double beyond) const;

  std::pmr::vector<Part> parts_;
  double best_ = 0;  // the smallest stretch of any of them, at full speed
};

}  // namespace aliquot
