// The Lublin-Feitelson model of rigid jobs: sizes, run times and arrivals with a daily cycle.
//
// Equal to the authors' program, draw by draw, for 128 nodes, both with two streams of jobs (batch and
// interactive: the program's default, and what DFRS used) and with one (`typeless`). The model has no
// memory and no CPU needs; dfrs_workload.hpp adds them. Times are whole seconds. Source: U. Lublin, D.
// Feitelson, "The workload on parallel supercomputers: modeling the characteristics of rigid jobs", JPDC 63
// (2003), and the parameters of the program of 1999.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aliquot {

struct LublinOptions {
  std::uint32_t seed = 1;
  std::uint64_t jobs = 1000;
  // Other than 128: both upper ends of the distribution of log2(nodes) move by log2(nodes / 128), which for
  // a power of two keeps the distances that the model's authors recommend; no job is wider than the system.
  std::uint32_t nodes = 128;
  bool typeless = false;
};

struct LublinJob {
  std::uint64_t number = 0;  // from 1
  std::int64_t submit_s = 0;
  std::int64_t runtime_s = 0;
  std::uint32_t nodes = 0;
  bool batch = false;  // else interactive; always so in a typeless workload
};

// In order of submission.
[[nodiscard]] std::vector<LublinJob> lublin(const LublinOptions& options);

// As the program writes it (SWF; fields 1, 2, 4, 5, 11 and 15 are known, the others -1).
[[nodiscard]] std::string lublin_swf(const std::vector<LublinJob>& jobs, const LublinOptions& options);

}  // namespace aliquot
