// What the devices that are free on a node are still good for, as typical tasks see it: in parts of
// devices, summed over a sample. Exact integers.
//
//   usable   Fragmentation Gradient Descent: the parts that a typical task could use, each task of the
//            sample asked alone (Weng et al., "Beware of Fragmentation", USENIX ATC 2023, section 4; there
//            as its complement, the fragments). A task that asks for no device can use none.
//   fill     The parts in use after a row of typical tasks has come to the node alone, each taking the
//            tightest slots if it fits: what CPU and memory allow the devices to be used for. Rows are
//            stretches of the sample. This project's own.
//
// Pure. What was computed is kept, by state, until the sample changes.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "policies/fitting/node_rest.hpp"
#include "policies/fitting/typical_tasks.hpp"

namespace aliquot {

class NodeProspect {
 public:
  // How many rows of how many tasks.
  static constexpr std::int64_t kRows = 32;
  static constexpr std::size_t kRowLength = 32;

  // True: the sample is another one.
  bool follow(const ClusterView& view);

  struct Prospect {
    std::int64_t usable = 0;  // over TypicalTasks::jobs
    std::int64_t fill = 0;    // over kRows; reckoned only `with_fill`
  };
  [[nodiscard]] Prospect of(const NodeRest& state, bool with_fill);
  [[nodiscard]] std::int64_t sampled() const { return tasks_.jobs; }

 private:
  [[nodiscard]] std::int64_t usable(const NodeRest& state) const;
  [[nodiscard]] std::int64_t fill(const NodeRest& state) const;

  TypicalTasks tasks_;
  std::vector<std::uint32_t> with_devices_;  // of tasks_.order
  std::unordered_map<NodeRest, Prospect, NodeRestHash> known_;
};

}  // namespace aliquot
