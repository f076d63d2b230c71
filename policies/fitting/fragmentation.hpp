// How far typical tasks can use the devices that are free on a node: Fragmentation Gradient Descent (Weng
// et al., "Beware of Fragmentation", USENIX ATC 2023, section 4).
//
// In parts of devices, summed over a sample; exact integers. The jobs to come are unknown: the sample
// assumes that they are like the jobs in the view. It is the earliest 2^k jobs, at most 512, so that it
// seldom changes while jobs arrive.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/fitting/free_on_node.hpp"

namespace aliquot {

class Fragmentation {
 public:
  struct Measure {
    // The parts that a typical task could use, for each task of the sample alone; the complement of the
    // paper's fragments. A task that asks for no device can use none.
    std::int64_t usable = 0;
    // The parts in use after a sequence of typical tasks has come to the node alone, each taking the
    // tightest slots if it fits, over kSequences stretches of the sample of kLength tasks: what CPU and
    // memory let the devices be used for. This project's own.
    std::int64_t fill = 0;
  };
  static constexpr std::int64_t kSequences = 32;
  static constexpr std::size_t kLength = 32;

  // `with_fill` false: the fill is not computed, and 0.
  Fragmentation(const ClusterView& view, bool with_fill);

  // Whether the view has the same sample.
  [[nodiscard]] bool has_sample_of(const ClusterView& view) const;
  [[nodiscard]] std::int64_t sample_size() const { return static_cast<std::int64_t>(sample_.size()); }

  [[nodiscard]] Measure measure(const FreeOnNode& free) const;

 private:
  struct Shape {
    Demand demand;  // one task
    std::int64_t count = 0;
  };

  [[nodiscard]] std::int64_t usable(const FreeOnNode& free) const;
  [[nodiscard]] std::int64_t fill(const FreeOnNode& free) const;

  bool with_fill_;
  std::vector<Demand> sample_;
  std::vector<Shape> shapes_;                // of tasks that ask for devices
  std::vector<std::uint32_t> with_devices_;  // their sequence in the sample, as indices of shapes
};

}  // namespace aliquot
