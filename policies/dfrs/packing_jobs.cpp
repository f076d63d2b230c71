#include "policies/dfrs/packing_jobs.hpp"

#include <utility>

#include "policies/dfrs/bins.hpp"

namespace aliquot {

namespace {
constexpr std::size_t kFirstSlots = 64;
}

TaskShapes::TaskShapes(const PackingObjective& rule, std::pmr::memory_resource* memory)
    : rule_(rule), shapes_(memory), slots_(kFirstSlots, memory) {}

std::uint32_t TaskShapes::add_new(const Job& job) {
  const Demand& demand = job.demand;
  const auto fresh = static_cast<std::uint32_t>(shapes_.size());
  shapes_.push_back({demand.need, demand.memory, demand.min_yield, rule_.line(job), 0});
  if (!rule_.equal_for_equal_demands()) return fresh;  // nobody will look for it
  if (2 * (shapes_.size() + 1) > slots_.size()) grow();
  std::size_t at = home(demand.need, demand.memory);
  while (slots_[at].next != 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = {demand.need, demand.memory, demand.min_yield, fresh + 1};
  return fresh;
}

void TaskShapes::grow() {
  const std::pmr::vector<Slot> old = std::move(slots_);
  slots_.assign(4 * old.size(), {});
  for (const Slot& slot : old) {
    if (slot.next == 0) continue;
    std::size_t at = home(slot.need, slot.memory);
    while (slots_[at].next != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

void PackingJobs::leave_out_what_cannot_fit(const Bins& bins) {
  leave_out_what_does_not_fit_alone(bins);
  // Where all the memory there is does not suffice, no test can succeed.
  const std::int64_t limit = bins.free_memory().raw;
  Int128 asked = 0;
  for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
    asked += static_cast<Int128>(shapes_[s].memory.raw) * shapes_[s].tasks;
  }
  if (asked <= limit) return;
  const auto amount = [&](const PackingJob& job) { return (shapes_[job.shape].memory * job.tasks).raw; };
  keep_within(jobs_, ranking::span_of(jobs_), limit, amount);
  count_anew();
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
  count_anew();
}

void PackingJobs::count_anew() {
  shapes_.clear_counts();
  for (const PackingJob& job : jobs_) shapes_.add(job.shape, job.tasks);
}

}  // namespace aliquot
