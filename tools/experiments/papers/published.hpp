// The figures that the DFRS paper printed, for comparison with ours. No result of this program.
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
};

// The nine policies of the paper, in its order, and EASY-LEGACY with the figures that the paper gives for
// EASY.
[[nodiscard]] const std::vector<PublishedRow>& published_rows();
// nullptr if the paper has no such policy.
[[nodiscard]] const PublishedRow* published(std::string_view policy);
// All of them, then the others.
[[nodiscard]] std::vector<std::string> with_published(const std::vector<std::string>& others);

}  // namespace aliquot
