// The figures the paper printed, to stand beside ours: data with their source, no result of this program.
//
// Source: M. Stillwell, F. Vivien, H. Casanova, "Dynamic Fractional Resource Scheduling for HPC
// Workloads", IPDPS 2010, Tables I and II and section V. All for a 300 s rescheduling penalty.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot {

struct PublishedDegradation {
  double avg = 0;
  double std = 0;
  double max = 0;
};

struct PublishedMean {
  double avg = 0;
  double max = 0;
};

// Of Table II, in its order.
struct PublishedCosts {
  std::array<PublishedMean, 6> figures;  // GB/s, per hour, per job: each preemptions, then migrations
};

struct PublishedRow {
  std::string_view policy;  // as this program names it
  PublishedDegradation scaled, unscaled, hpc2n;
  const PublishedCosts* costs = nullptr;  // none: it neither preempts nor migrates
  bool compared = true;                   // one of the nine over which "best" is taken
};

// The nine of the paper, in its order, and EASY-LEGACY, whose figures are those the paper gives for EASY.
[[nodiscard]] const std::vector<PublishedRow>& published_rows();
// None if the paper has no such policy.
[[nodiscard]] const PublishedRow* published(std::string_view policy);
// All of them, and then others.
[[nodiscard]] std::vector<std::string> with_published(const std::vector<std::string>& others);
// The nine.
[[nodiscard]] std::vector<std::string> compared_policies();

}  // namespace aliquot
