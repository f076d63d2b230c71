// CPU time of calls inside a program, in units of a reference loop that runs beside them on the same core:
// CPU time of the call / CPU time of the loop. Printed as the JSON object that tools/bench/budgets reads:
// {"reference_ms": ..., "figures": {name: units}}.
//
// The smallest of several batches counts on both sides, so that other work on the machine, which only ever
// adds time, drops out.
#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tools/bench/reference_loop.hpp"

namespace aliquot::bench {

inline constexpr int kBatches = 7;
inline constexpr double kLeastBatch_s = 0.02;  // long beside the resolution of the clock

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Call>
double seconds_of(int times, const Call& call) {
  const double before = cpu_seconds();
  for (int k = 0; k < times; ++k) call();
  return (cpu_seconds() - before) / times;
}

struct Figure {
  std::string name;
  double units = 0;
};

struct Measured {
  double reference_s = std::numeric_limits<double>::infinity();
  std::vector<Figure> figures;

  void add(std::string name, const std::function<void()>& call) {
    const double once = std::max(1e-9, seconds_of(1, call));  // warms up, and says how often fills a batch
    const int times = std::clamp(static_cast<int>(kLeastBatch_s / once), 1, 10'000);
    double best = std::numeric_limits<double>::infinity();
    double reference = best;
    for (int batch = 0; batch < kBatches; ++batch) {
      reference = std::min(reference, seconds_of(10, reference_loop));
      best = std::min(best, seconds_of(times, call));
    }
    reference_s = std::min(reference_s, reference);
    figures.push_back({std::move(name), best / reference});
  }
};

inline void print(const Measured& measured) {
  std::printf("{\"reference_ms\": %.6f, \"figures\": {", 1e3 * measured.reference_s);
  const char* comma = "";
  for (const Figure& figure : measured.figures) {
    std::printf("%s\"%s\": %.9f", comma, figure.name.c_str(), figure.units);
    comma = ", ";
  }
  std::printf("}}\n");
}

}  // namespace aliquot::bench
