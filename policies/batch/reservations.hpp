// The reservations of conservative backfilling: until when jobs run, and when waiting jobs start.
//
// Nodes are counted, not named: a job that starts takes any idle nodes of the kinds that it reserved. A
// kind is a class of usable nodes of equal capacity and memory. Jobs take the smallest kinds that suit
// them.
#pragma once

#include <vector>

#include "policies/batch/free_nodes.hpp"
#include "policies/batch/queue.hpp"

namespace aliquot {

class Reservations {
 public:
  // What runs in the draft, at yields[i], until its expected end.
  Reservations(const Draft& draft, const Yields& yields, EstimateFrom from);

  // Restores the reservations that were kept for the queue. A job without one, or whose reservation is no
  // longer possible, is `fresh`: reserve() it.
  struct Kept {
    std::vector<std::size_t> fresh;
    bool all = true;  // every reservation was restored
  };
  [[nodiscard]] Kept keep(const std::vector<std::size_t>& queue);
  // The earliest start there is from now on; none if the nodes never become free.
  void reserve(std::size_t i);
  // Cancels its reservation and reserves anew: its new start is its old one at the latest.
  void bring_forward(std::size_t i);

  [[nodiscard]] bool holds(std::size_t i) const { return promises_[i].at != kNever; }
  [[nodiscard]] const Booking& promise(std::size_t i) const { return promises_[i]; }
  // Idle nodes of the reserved kinds; for a job whose reservation begins now.
  [[nodiscard]] Placement nodes_for(std::size_t i) const;

 private:
  struct Kind {
    Cpu capacity;
    Memory memory;
    FreeNodes free;
  };
  using Counts = std::vector<std::uint32_t>;  // of each kind

  void sort_into_kinds();
  [[nodiscard]] bool keep_one(std::size_t i, const Booking& promise);
  [[nodiscard]] bool well_formed(std::size_t i, const Booking& promise) const;
  [[nodiscard]] Instant end_of(std::size_t i, Instant start) const;
  [[nodiscard]] std::vector<std::size_t> suitable_kinds(const Demand& demand) const;
  [[nodiscard]] Instant earliest(const std::vector<std::size_t>& kinds, const Demand& demand,
                                 Duration span) const;
  [[nodiscard]] Counts take_smallest(const std::vector<std::size_t>& kinds, const Demand& demand,
                                     Instant start, Instant end) const;
  void charge(std::size_t i, const Counts& counts, Instant start, std::int64_t sign);
  void set(std::size_t i, Instant start, const Counts& counts);
  [[nodiscard]] Counts counts_of(std::size_t i, const Booking& promise) const;

  const Draft& draft_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> kind_of_node_;  // kinds_.size(): takes nothing new
  std::vector<Duration> spans_;            // of a job from its start on, as expected
  std::vector<Booking> promises_;          // by entry
};

}  // namespace aliquot
