#include "policies/dfrs/offers.hpp"

namespace aliquot {

void Offers::leave_out_what_cannot_fit(const Bins& bins) {
  leave_out_what_does_not_fit_alone(bins);
  // Where all the memory there is does not suffice, no test can succeed.
  const std::int64_t limit = bins.free_memory().raw;
  Int128 asked = 0;
  for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
    asked += static_cast<Int128>(shapes_[s].memory.raw) * shapes_[s].tasks;
  }
  if (asked <= limit) return;
  const auto amount = [&](const Offered& job) { return (shapes_[job.shape].memory * job.tasks).raw; };
  keep_within(jobs_, ranking::span_of(jobs_), limit, amount);
  count_anew();
}

void Offers::leave_out_what_does_not_fit_alone(const Bins& bins) {
  std::pmr::vector<std::int64_t> slots(shapes_.size(), jobs_.get_allocator());
  bool all_fit = true;
  for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
    slots[s] = bins.slots(shapes_[s]);
    all_fit = all_fit && slots[s] >= shapes_[s].widest;
  }
  if (all_fit) return;
  std::erase_if(jobs_, [&](const Offered& job) { return slots[job.shape] < job.tasks; });
  count_anew();
}

void Offers::count_anew() {
  shapes_.clear_counts();
  for (const Offered& job : jobs_) shapes_.add(job.shape, job.tasks);
}

}  // namespace aliquot
