// The three counters of CPU that nodes and accounts alike have, and CPU as Prometheus has it: in cores.
// Borrowed from the families that hold them.
#pragma once

#include "monitor/metric_families.hpp"
#include "monitor/vm_usage.hpp"

namespace aliquot {

[[nodiscard]] constexpr double in_cores(Cpu cpu) {
  return static_cast<double>(cpu.raw) / static_cast<double>(kMillion);
}

struct CpuCounters {
  prometheus::Counter* cpu = nullptr;
  prometheus::Counter* delay = nullptr;
  prometheus::Counter* throttled = nullptr;

  void add(const Usage& more) const {
    cpu->Increment(to_seconds(more.cpu));
    delay->Increment(to_seconds(more.delay));
    throttled->Increment(to_seconds(more.throttled));
  }
};

}  // namespace aliquot
