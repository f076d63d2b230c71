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

#include "policies/placement/allocation.hpp"

namespace aliquot {

class AvailabilityProfile {
 public:
  // Refers to the allocation: jobs that are placed in it later count from the next question on.
  explicit AvailabilityProfile(const Allocation& allocation);

  struct Start {
    Instant at;
    std::vector<std::uint32_t> nodes;
  };
  // The earliest start of a waiting job that delays no reservation; none: it never fits.
  [[nodiscard]] std::optional<Start> earliest(std::size_t entry) const;
  void reserve(std::size_t entry, const Start& start);
  // By node: whether it is reserved at some time while the job would run from this instant on.
  [[nodiscard]] std::vector<bool> reserved(std::size_t entry, Instant from) const;

  // The job has been placed.
  void started(std::size_t entry);

 private:
  struct End {
    Instant at;
    std::size_t entry = 0;
    std::vector<DeviceSet> devices;  // parallel to the placement; empty: none
  };
  struct Reservation {
    Instant from;
    Instant to;
    std::vector<std::uint32_t> nodes;
  };
  // What is free at one instant, and how many tasks of one demand each node can hold then.
  struct Free {
    std::vector<NodeLedger> ledgers;
    FreeDevices devices;
    std::vector<std::uint32_t> tasks;
  };

  [[nodiscard]] Free free_now(const Demand& demand) const;
  [[nodiscard]] std::uint32_t tasks_on(std::size_t n, const Free& free, const Demand& demand) const;
  void release(const End& end, const Demand& demand, Free& free) const;
  [[nodiscard]] Instant next_change(Instant after) const;
  [[nodiscard]] std::vector<std::uint32_t> nodes_at(std::size_t entry, Instant from,
                                                    const std::vector<std::uint32_t>& tasks) const;

  const Allocation& allocation_;
  const Draft& draft_;
  std::vector<Duration> durations_;  // by entry: expected, of a waiting job from its start on
  std::vector<End> ends_;            // in increasing `at`
  std::vector<Reservation> reservations_;
};

}  // namespace aliquot
