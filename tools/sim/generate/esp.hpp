// The Effective System Performance workload, version 2 (Wong et al.; IPSCHED, sec. 5, Table 4), plain or
// doubled for CPU-GPU nodes as the papers do.
//
// Plain: 230 jobs, of the types A to M and two of type Z that need the whole machine. Doubled: 458 jobs,
// every type but Z twice, the copy with all GPUs of its nodes. They arrive in random order, 50 at the
// start, then one every 30 s on average; the two Z jobs after 40 and 120 minutes, doubled 80 and 240. (The
// second paper doubles 80 and 240 once more. Z jobs at 160 and 480 minutes would end the run after 28,900 s
// at the earliest, a utilisation of 0.755, which is less than the papers report.) Sizes are fractions of
// the machine, rounded to whole nodes: H is 1,296 cores, K 784. `vary` adds a random whole number from -4
// to 4 to each (Table 7); Z jobs never exceed the machine.
#pragma once

#include <array>
#include <string_view>

#include "tools/sim/generate/gpu_jobs.hpp"

namespace aliquot {

struct EspType {
  std::string_view name;
  double size = 0;  // of the machine
  std::uint32_t count = 0;
  std::int64_t runtime_s = 0;
};
[[nodiscard]] const std::array<EspType, 14>& esp_types();

struct EspOptions {
  std::uint32_t seed = 1;
  bool gpus = true;   // doubled
  bool vary = false;  // sizes by +-4 cores
  double sigma_s = Arrivals{}.sigma_s;
  MachineL machine = {};
};

[[nodiscard]] std::vector<GpuJob> esp_jobs(const EspOptions& options);

// The ideal makespan of the table itself, with run times as they stand and sizes unrounded: 21,822 s
// doubled, 11,011 s plain (the papers say 10,984, which is not the sum of their table).
[[nodiscard]] double esp_ideal_s(bool gpus);

}  // namespace aliquot
