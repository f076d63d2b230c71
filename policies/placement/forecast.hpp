// When a job could start, one job at a time: who ends when, and which nodes are promised to whom until
// then.
//
// The forecast of a backfilling scheduler over nodes that jobs share (IPSCHED, sec. 4: "by taking into
// consideration the reservations made by other higher priority jobs"). A reservation bars its nodes to
// everybody else from its start to its end, whole, as Slurm's does; what runs takes of a node only what it
// holds. Ends are expected ones, by the jobs' estimates. Plain bookkeeping: in which order jobs are asked
// for is the caller's.
#pragma once

#include <optional>
#include <vector>

#include "policies/dfrs/average_yield.hpp"
#include "policies/draft.hpp"
#include "policies/model/free_devices.hpp"
#include "policies/placement/starts.hpp"

namespace aliquot {

class Forecast {
 public:
  // Refers to the draft: jobs that are placed in it later are counted from the next question on.
  explicit Forecast(const Draft& draft);

  struct Opening {
    Instant at;
    std::vector<std::uint32_t> nodes;
  };
  // The earliest start of a waiting job that disturbs no reservation, `free` being what is free of devices
  // now; none: it never fits. An opening now names no nodes: barred() says which are left.
  [[nodiscard]] std::optional<Opening> earliest(std::size_t entry, const FreeDevices& free);
  void reserve(std::size_t entry, const Opening& opening);
  // Nodes that the job could not have all its time if it started at this instant.
  [[nodiscard]] Barred barred(std::size_t entry, Instant from) const;

  // It has been placed, and these are the slots it holds.
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
    Barred nodes;
  };
  // What a job could have on every node at one instant.
  struct Offer {
    std::vector<std::uint32_t> tasks;  // by node
    std::uint64_t together = 0;
  };
  // Jobs that ask for the same as long are asked about one after the other: what is known of the first.
  // Nothing that happens meanwhile makes room.
  struct Alike {
    const Demand* demand = nullptr;
    Duration span;
    Instant not_before;  // there is no opening before this
    Offer now;           // without tasks: to be counted again
  };

  [[nodiscard]] Alike& alike(std::size_t entry);
  [[nodiscard]] Offer offer_now(const Demand& demand, const FreeDevices& free) const;
  [[nodiscard]] std::uint32_t tasks_on(std::size_t n, const NodeLedger& room, const FreeDevices& free,
                                       const Demand& demand) const;
  void release(const End& end, const Demand& demand, std::vector<NodeLedger>& rooms, FreeDevices& free,
               Offer& offer) const;
  [[nodiscard]] std::vector<std::uint32_t> fitting(std::size_t entry, Instant from,
                                                   const Offer& offer) const;

  const Draft& draft_;
  std::vector<Duration> spans_;  // by entry: of a waiting job from its start on
  std::vector<End> ends_;        // in increasing `at`
  std::vector<Reservation> reservations_;
  std::vector<Alike> known_;
};

}  // namespace aliquot
