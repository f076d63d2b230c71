// Adds up a VM's CPU counters over the starts of its QEMU: each restore and each migration is a new process
// whose counters begin at 0. What ran between the last reading and the end of a process is not seen, so a
// reading is taken before every save and migration.
#pragma once

#include <optional>

#include "policies/model/id.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

struct CpuReading {
  Duration cpu;
  Duration delay;
  Duration throttled;
  friend bool operator==(const CpuReading&, const CpuReading&) = default;
};

class CpuAccount {
 public:
  // One QEMU process: libvirt numbers a node's domains anew at every start.
  struct Run {
    NodeId node;
    int domain_id = 0;
    friend bool operator==(const Run&, const Run&) = default;
  };

  // The total after this reading.
  CpuReading add(const Run& run, const CpuReading& reading) {
    if (run_ && *run_ != run) {
      before_.cpu += last_.cpu;
      before_.delay += last_.delay;
      before_.throttled += last_.throttled;
      last_ = {};
    }
    run_ = run;
    // A node that cannot tell for once must not take back what was counted.
    last_ = {std::max(last_.cpu, reading.cpu), std::max(last_.delay, reading.delay),
             std::max(last_.throttled, reading.throttled)};
    return {before_.cpu + last_.cpu, before_.delay + last_.delay, before_.throttled + last_.throttled};
  }

 private:
  std::optional<Run> run_;
  CpuReading before_;
  CpuReading last_;
};

}  // namespace aliquot
