// The jobs that a packing takes, by the shapes of their tasks.
//
// A shape is what jobs have in common whose tasks need the same at every level: to MCB8 their tasks are one
// class, whichever job they belong to. The jobs are gathered while a draft reads its view, neither fixed
// nor held ones. A job that no packing can hold is dropped here: one that would not fit beside the fixed
// jobs even alone, and, where the memory of all exceeds that of the bins, the jobs of lowest priority
// (DFRS, III-B).
#pragma once

#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "policies/dfrs/objective.hpp"
#include "policies/dfrs/priority.hpp"

namespace aliquot {

class Bins;

struct TaskShape {
  Cpu need;
  Memory memory;
  Yield min_yield;
  YieldLine line;            // the yield at a level
  std::int64_t tasks = 0;    // that are to be packed
  std::uint32_t widest = 0;  // the most tasks of one job
};

// Which shapes there are is known once all jobs are gathered; the counts of tasks go up and down while a
// search tries which jobs to drop.
class TaskShapes {
 public:
  TaskShapes(const PackingObjective& objective, std::pmr::memory_resource* memory)
      : objective_(objective), shapes_(memory), known_(memory) {}

  // The shape of this job: one that is known, or a new one without tasks.
  [[nodiscard]] std::uint32_t shape_of(const Job& job);
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
  [[nodiscard]] const PackingObjective& objective() const { return objective_; }

 private:
  struct Key {
    Cpu need;
    Memory memory;
    Yield min_yield;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  PackingObjective objective_;
  std::pmr::vector<TaskShape> shapes_;
  std::pmr::unordered_map<Key, std::uint32_t, Hash> known_;  // where equal demands are of one shape
};

struct PackingJob {
  std::uint64_t key = 0;  // of its priority (dfrs/priority.hpp)
  std::uint32_t entry = 0;
  std::uint32_t shape = 0;
  std::uint32_t tasks = 0;
};

class PackingJobs {
 public:
  PackingJobs(const PackingObjective& objective, Instant now, std::pmr::memory_resource* memory)
      : now_(now), shapes_(objective, memory), jobs_(memory) {}

  void reserve(std::size_t jobs) { jobs_.reserve(jobs); }
  // Takes a job; in increasing entry.
  void operator()(std::uint32_t entry, const Job& job) {
    const std::uint32_t shape = shapes_.shape_of(job);
    shapes_.add_job(shape, job.demand.tasks);
    jobs_.push_back({key_of_priority(job, now_), entry, shape, job.demand.tasks});
  }

  // After the last job.
  void leave_out_what_cannot_fit(const Bins& bins);

  [[nodiscard]] TaskShapes& shapes() { return shapes_; }
  // By increasing entry.
  [[nodiscard]] std::pmr::vector<PackingJob>& jobs() { return jobs_; }

 private:
  void leave_out_what_does_not_fit_alone(const Bins& bins);
  void count_tasks();

  Instant now_;
  TaskShapes shapes_;
  std::pmr::vector<PackingJob> jobs_;
};

}  // namespace aliquot
