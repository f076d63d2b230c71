// The smallest predicted stretch at which the shares of some jobs fit what a node has to give.
#pragma once

#include <memory_resource>
#include <vector>

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
  bool rising = true;  // not settled yet
  bool lent = false;   // settled before all others: it serves a penalty
};

// Who shares a node, side by side in memory, to be asked about many stretches.
class LevelSearch {
 public:
  explicit LevelSearch(std::pmr::memory_resource* memory) : parts_(memory) {}

  void clear();
  void add(const CrowdMember& member, std::uint32_t units);
  [[nodiscard]] bool empty() const { return parts_.empty(); }

  // Where they fit into so much CPU; 0 if all they need fits. On the side that fits, to a millionth.
  [[nodiscard]] double level(double spare) const;
  // level(spare) is at most this: not found by search, but from whoever would be worst off at equal shares.
  // Infinite where nothing is known.
  [[nodiscard]] double bound(double spare) const;

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

  std::pmr::vector<Part> parts_;
  double best_ = 0;  // the smallest stretch of any of them, at full speed
};

}  // namespace aliquot
