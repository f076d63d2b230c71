// The jobs that are offered to a packing, gathered while a draft reads its view: each is looked at once.
//
// Neither fixed nor held jobs. Those of equal demand are of one shape. What no packing can hold is left
// out here: a job that would not fit beside what is fixed even alone, and, where the memory of all exceeds
// what the bins have, the jobs of lowest priority (DFRS, III-B).
#pragma once

#include <vector>

#include "policies/dfrs/bins.hpp"
#include "policies/dfrs/priority.hpp"
#include "policies/dfrs/ranking.hpp"
#include "policies/dfrs/shapes.hpp"

namespace aliquot {

struct Offered {
  std::uint64_t key = 0;  // of its priority
  std::uint32_t entry = 0;
  std::uint32_t shape = 0;
  std::uint32_t tasks = 0;
};

class Offers {
 public:
  Offers(const LevelRule& rule, Instant now, std::pmr::memory_resource* memory)
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

  [[nodiscard]] Shapes& shapes() { return shapes_; }
  // By increasing entry.
  [[nodiscard]] std::pmr::vector<Offered>& jobs() { return jobs_; }

 private:
  void leave_out_what_does_not_fit_alone(const Bins& bins);
  void count_anew();

  Instant now_;
  Shapes shapes_;
  std::pmr::vector<Offered> jobs_;
};

}  // namespace aliquot
