// The jobs of a view that could be placed, each with the number of its shape. Jobs of one shape ask for the
// same: what holds of one of them can be known of the others without a look at them. Part of a ViewIndex.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "policies/model/id.hpp"
#include "policies/model/job.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

// What a job asks for. All that decides where it fits.
struct JobShape {
  Memory memory;    // of a task
  Cpu need;         // of a task
  Yield min_yield;  // of a task
  std::uint32_t tasks = 0;
  Weight weight;

  [[nodiscard]] static JobShape of(const Demand& demand) {
    return {demand.memory, demand.need, demand.min_yield, demand.tasks, demand.weight};
  }
  friend auto operator<=>(const JobShape&, const JobShape&) = default;
};

class AlikeJobs {
 public:
  struct Entry {
    JobId id;
    Instant submitted;
    std::uint32_t shape = 0;
    bool has_begun = false;  // it is paused
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  void add(const Job& job);
  void remove(const Job& job);  // as it was added

  // In increasing ids.
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
  // By number. Some may belong to no job any more.
  [[nodiscard]] std::span<const JobShape> shapes() const { return shapes_; }

  // Of the same jobs, however their shapes are numbered.
  friend bool operator==(const AlikeJobs& a, const AlikeJobs& b);

 private:
  std::vector<Entry> entries_;
  std::vector<JobShape> shapes_;
  std::vector<std::uint32_t> counts_;  // jobs of each shape
  std::vector<std::uint32_t> unused_;  // numbers
  std::map<JobShape, std::uint32_t> numbers_;
};

}  // namespace aliquot
