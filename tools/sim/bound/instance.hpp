// What the offline bound looks at: the jobs with all that is known of them afterwards, and the nodes.
//
// Everything is relaxed in one direction only, so that every schedule of the simulator is also a schedule
// of this instance: nothing here asks which node a task stands on, and moves and pauses are free.
#pragma once

#include <vector>

#include "tools/sim/workload.hpp"

namespace aliquot {

// A bounded stretch in units of 10^-9.
struct Stretch {
  std::int64_t nano = 0;
  friend constexpr auto operator<=>(Stretch, Stretch) = default;
};
inline constexpr std::int64_t kNano = 1'000'000'000;
inline constexpr Stretch kNoStretch{kNano};            // 1: no job was slowed
inline constexpr Stretch kMostStretch{kNano * kNano};  // beyond this nothing is looked for
inline constexpr Instant kFarAway{INT64_MAX / 4};      // later than any deadline that matters

// Equal nodes, counted.
struct NodeClass {
  Cpu capacity;
  Memory memory;
  std::int64_t count = 0;
};

struct BoundJob {
  Instant release;
  Duration work;     // its time alone
  Duration counted;  // max(30 s, time alone): what its bounded stretch is measured by
  Yield fastest;     // the highest yield at which all its tasks fit on the empty cluster
  std::int64_t tasks = 1;
  Cpu need;
  Memory memory;
};

struct BoundInstance {
  std::vector<NodeClass> classes;
  std::vector<BoundJob> jobs;  // in order of release
  // CPU by which the caps of a node may really exceed its capacity: a cap is rounded down to a micro-core,
  // a job's progress is not.
  Cpu rounding;

  [[nodiscard]] Int128 cpu_capacity() const;     // of all nodes, with the rounding
  [[nodiscard]] Int128 memory_capacity() const;  // of all nodes
  [[nodiscard]] std::int64_t nodes() const;
};

[[nodiscard]] BoundInstance make_instance(const std::vector<WorkloadJob>& jobs,
                                          const std::vector<Node>& nodes);

// By when a job must end in a schedule of this max stretch. Rounded up.
[[nodiscard]] Instant deadline(const BoundJob& job, Stretch stretch);

// The largest stretch that is certain for this job even with the cluster to itself. Rounded down.
[[nodiscard]] Stretch alone_stretch(const BoundJob& job);

}  // namespace aliquot
