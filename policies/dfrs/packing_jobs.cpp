#include "policies/dfrs/packing_jobs.hpp"

#include "policies/dfrs/bins.hpp"

namespace aliquot {

std::size_t TaskShapes::Hash::operator()(const Key& key) const {
  const std::uint64_t mixed = static_cast<std::uint64_t>(key.need.raw) * 0x9e3779b97f4a7c15ULL +
                              static_cast<std::uint64_t>(key.memory.raw) * 0xbf58476d1ce4e5b9ULL;
  return mixed ^ (mixed >> 32);
}

std::uint32_t TaskShapes::shape_of(const Job& job) {
  const Demand& demand = job.demand;
  const auto next = static_cast<std::uint32_t>(shapes_.size());
  if (objective_.equal_for_equal_demands) {
    const auto [at, is_new] = known_.try_emplace({demand.need, demand.memory, demand.min_yield}, next);
    if (!is_new) return at->second;
  }
  shapes_.push_back({demand.need, demand.memory, demand.min_yield, objective_.line(job), 0});
  return next;
}

void PackingJobs::leave_out_what_cannot_fit(const Bins& bins) {
  leave_out_what_does_not_fit_alone(bins);
  // Where all the memory there is does not suffice, no packing can succeed.
  const std::int64_t limit = bins.free_memory().raw;
  Int128 asked = 0;
  for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
    asked += static_cast<Int128>(shapes_[s].memory.raw) * shapes_[s].tasks;
  }
  if (asked <= limit) return;
  keep_within(jobs_, limit,
              [&](const PackingJob& job) { return (shapes_[job.shape].memory * job.tasks).raw; });
  count_tasks();
}

void PackingJobs::leave_out_what_does_not_fit_alone(const Bins& bins) {
  std::pmr::vector<std::int64_t> slots(shapes_.size(), jobs_.get_allocator());
  bool all_fit = true;
  for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
    slots[s] = bins.slots(shapes_[s]);
    all_fit = all_fit && slots[s] >= shapes_[s].widest;
  }
  if (all_fit) return;
  std::erase_if(jobs_, [&](const PackingJob& job) { return slots[job.shape] < job.tasks; });
  count_tasks();
}

void PackingJobs::count_tasks() {
  shapes_.clear_counts();
  for (const PackingJob& job : jobs_) shapes_.add(job.shape, job.tasks);
}

}  // namespace aliquot
