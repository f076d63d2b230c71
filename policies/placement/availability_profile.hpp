// When each job could start, as a backfilling scheduler predicts it: what becomes free when jobs end, less
// what is reserved.
//
// Nodes are shared between jobs (IPSCHED, sec. 4: "by taking into consideration the reservations made by
// other higher priority jobs"). A reservation excludes other jobs from its nodes from its start to its end,
// as Slurm's does; a running job takes of a node only what it holds. Jobs are expected to end by their
// estimates. In which order jobs reserve is the caller's choice.
#pragma once

#include <optional>
#include <vector>

#include "policies/draft.hpp"
#include "policies/model/free_devices.hpp"
#include "policies/placement/allocation.hpp"

namespace aliquot {

class AvailabilityProfile {
 public:
  // Refers to the draft: jobs that are placed in it later count from the next question on.
  explicit AvailabilityProfile(const Draft& draft);

  struct Start {
    Instant at;
    std::vector<std::uint32_t> nodes;
  };
  // The earliest start of a waiting job that delays no reservation; `free`: the devices that are free now.
  // None: it never fits.
  [[nodiscard]] std::optional<Start> earliest(std::size_t entry, const FreeDevices& free);
  void reserve(std::size_t entry, const Start& start);
  // Nodes that are reserved at some time while the job would run from this instant on.
  [[nodiscard]] NodeSet reserved(std::size_t entry, Instant from) const;

  // The job has been placed in the draft and holds these slots.
  void started(std::size_t entry, std::vector<DeviceSet> devices);

 private:
  struct End {
    Instant at;
    std::size_t entry = 0;
    std::vector<DeviceSet> devices;  // parallel to the placement; empty: none
  };
  struct Reservation {
    Instant from;
    Instant to;
    NodeSet nodes;
  };
  // What of one job the nodes can hold at one instant.
  struct TaskCapacity {
    std::vector<std::uint32_t> tasks;  // by node
    std::uint64_t sum = 0;
  };
  // What is known of jobs with the same demand and duration. As jobs only start and reserve, the earliest
  // start never moves forward.
  struct Known {
    const Demand* demand = nullptr;
    Duration duration;
    Instant not_before;  // no start is possible before this
    TaskCapacity now;    // empty: a job has started since
  };

  [[nodiscard]] Known& known_of(std::size_t entry);
  [[nodiscard]] TaskCapacity capacity_now(const Demand& demand, const FreeDevices& free) const;
  [[nodiscard]] std::uint32_t tasks_on(std::size_t n, const NodeLedger& room, const FreeDevices& free,
                                       const Demand& demand) const;
  void release(const End& end, const Demand& demand, std::vector<NodeLedger>& rooms, FreeDevices& free,
               TaskCapacity& capacity) const;
  [[nodiscard]] std::vector<std::uint32_t> nodes_at(std::size_t entry, Instant from,
                                                    const TaskCapacity& capacity) const;

  const Draft& draft_;
  std::vector<Duration> durations_;  // by entry: expected, of a waiting job from its start on
  std::vector<End> ends_;            // in increasing `at`
  std::vector<Reservation> reservations_;
  std::vector<Known> known_;
};

}  // namespace aliquot
