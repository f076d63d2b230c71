// The experiments of the two placement papers, as studies.
#pragma once

#include "tools/experiments/placement/study.hpp"

namespace aliquot {

struct StudyOptions {
  std::uint32_t first_seed = 1;
  std::uint32_t seeds = 5;
  double sigma_s = Arrivals{}.sigma_s;  // of the times between arrivals
  std::string interval;                 // SCHED_INTERVAL of IPSCHED and AUCSCHED, seconds; empty: as usual
  std::string window;                   // MAX_JOB_COUNT of the same; empty: as usual
  std::string backfill_interval;        // seconds, of BACKFILL
  std::string size;                     // weight of a job's size in multifactor priorities; empty: as usual
};

// 1 to 8 of the first paper (IPSCHED, Tables 5 to 7), by their numbers.
[[nodiscard]] Result<Study> esp_study(const StudyOptions& options);

// 1 to 8 of the second (AUCSCHED, Table 10) on each of its workloads: ESP, ESP with sizes +-4, I to V.
[[nodiscard]] Result<Study> gpu_mix_study(const StudyOptions& options,
                                          const std::vector<std::string>& workloads);
[[nodiscard]] std::vector<std::string> gpu_mix_workloads();

// What the second paper's experiment of this number is, in words.
[[nodiscard]] std::string gpu_mix_words(const std::string& experiment);

}  // namespace aliquot
