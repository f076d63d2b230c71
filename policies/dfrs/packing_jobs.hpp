// Jobs by what their tasks need: tasks of equal size are one class to MCB8, whichever job they belong to.
//
// A shape is what jobs have in common that need the same at every level. It counts the tasks that are to
// be packed. Which shapes there are is settled once; the counts go up and down while a search tries which
// jobs to leave out.
#pragma once

#include <span>
#include <vector>

#include "policies/dfrs/job_order.hpp"
#include "policies/dfrs/objective.hpp"
#include "policies/dfrs/priority.hpp"

namespace aliquot {

struct TaskShape {
  Cpu need;
  Memory memory;
  Yield min_yield;
  YieldLine line;
  std::int64_t tasks = 0;
  std::uint32_t widest = 0;  // the most tasks of one job
};

class TaskShapes {
 public:
  TaskShapes(const PackingObjective& rule, std::pmr::memory_resource* memory);

  // The shape of this job: one that is known, or a new one without tasks.
  std::uint32_t shape_of(const Job& job);
  void add(std::uint32_t shape, std::int64_t tasks) { shapes_[shape].tasks += tasks; }
  void add_job(std::uint32_t shape, std::uint32_t tasks) {
    shapes_[shape].tasks += tasks;
    shapes_[shape].widest = std::max(shapes_[shape].widest, tasks);
  }
  void clear_counts() {
    for (TaskShape& shape : shapes_) shape.tasks = 0;
  }

  [[nodiscard]] std::size_t size() const { return shapes_.size(); }
  [[nodiscard]] const TaskShape& operator[](std::uint32_t shape) const { return shapes_[shape]; }
  [[nodiscard]] const PackingObjective& rule() const { return rule_; }

 private:
  // One of the places of the hash: a power of two of them, open addressing.
  struct Slot {
    Cpu need;
    Memory memory;
    Yield min_yield;
    std::uint32_t next = 0;  // shape + 1; 0: free
    [[nodiscard]] bool is(const Demand& demand) const {
      return need == demand.need && memory == demand.memory && min_yield == demand.min_yield;
    }
  };
  [[nodiscard]] std::size_t home(Cpu need, Memory memory) const;
  std::uint32_t add_new(const Job& job);
  void grow();

  PackingObjective rule_;
  std::pmr::vector<TaskShape> shapes_;
  std::pmr::vector<Slot> slots_;
};

// Called for every job of every packing.
inline std::size_t TaskShapes::home(Cpu need, Memory memory) const {
  const std::uint64_t mixed = static_cast<std::uint64_t>(need.raw) * 0x9e3779b97f4a7c15ULL +
                              static_cast<std::uint64_t>(memory.raw) * 0xbf58476d1ce4e5b9ULL;
  return (mixed ^ (mixed >> 32)) & (slots_.size() - 1);
}

inline std::uint32_t TaskShapes::shape_of(const Job& job) {
  const Demand& demand = job.demand;
  std::size_t at = home(demand.need, demand.memory);
  while (slots_[at].next != 0 && !slots_[at].is(demand)) at = (at + 1) & (slots_.size() - 1);
  return slots_[at].next != 0 ? slots_[at].next - 1 : add_new(job);
}

class Bins;

struct PackingJob {
  std::uint64_t key = 0;  // of its priority
  std::uint32_t entry = 0;
  std::uint32_t shape = 0;
  std::uint32_t tasks = 0;
};

class PackingJobs {
 public:
  PackingJobs(const PackingObjective& rule, Instant now, std::pmr::memory_resource* memory)
      : now_(now), shapes_(rule, memory), jobs_(memory) {}

  void reserve(std::size_t jobs) { jobs_.reserve(jobs); }
  // In increasing entry.
  void operator()(std::uint32_t entry, const Job& job) {
    const std::uint32_t shape = shapes_.shape_of(job);
    const std::uint32_t tasks = job.demand.tasks;
    shapes_.add_job(shape, tasks);
    jobs_.push_back({key_of_priority(priority(job, now_)), entry, shape, tasks});
  }

  // After the last of them.
  void leave_out_what_cannot_fit(const Bins& bins);

  [[nodiscard]] TaskShapes& shapes() { return shapes_; }
  // By increasing entry.
  [[nodiscard]] std::pmr::vector<PackingJob>& jobs() { return jobs_; }

 private:
  void leave_out_what_does_not_fit_alone(const Bins& bins);
  void count_anew();

  Instant now_;
  TaskShapes shapes_;
  std::pmr::vector<PackingJob> jobs_;
};

}  // namespace aliquot
