// The three counters of CPU that nodes and accounts alike have, and CPU as Prometheus has it: in cores. A
// counter of what cannot be told there has no series: it is not 0.
#pragma once

#include <utility>

#include "monitor/metric_families.hpp"
#include "monitor/vm_usage.hpp"

namespace aliquot {

[[nodiscard]] constexpr double in_cores(Cpu cpu) {
  return static_cast<double>(cpu.raw) / static_cast<double>(kMillion);
}

class CpuCounters {
 public:
  struct Kinds {
    Metric cpu, delay, throttled;
  };
  CpuCounters() = default;
  CpuCounters(MetricFamilies& families, Kinds kinds, MetricFamilies::Labels labels)
      : families_(&families), kinds_(kinds), labels_(std::move(labels)) {
    (void)families.counter(kinds.cpu, labels_);
  }

  void add(const Usage& more) const {
    add(kinds_.cpu, more.cpu);
    add(kinds_.delay, more.stolen());
    add(kinds_.throttled, more.throttled);
  }

 private:
  void add(Metric metric, std::optional<Duration> more) const {
    if (more) families_->counter(metric, labels_).Increment(to_seconds(*more));
  }

  MetricFamilies* families_ = nullptr;  // which outlives this
  Kinds kinds_{};
  MetricFamilies::Labels labels_;
};

}  // namespace aliquot
