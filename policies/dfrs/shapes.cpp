#include "policies/dfrs/shapes.hpp"

#include <utility>

namespace aliquot {

namespace {
constexpr std::size_t kFirstSlots = 64;
}

Shapes::Shapes(const LevelRule& rule, std::pmr::memory_resource* memory)
    : rule_(rule), shapes_(memory), slots_(kFirstSlots, memory) {}

std::uint32_t Shapes::add_new(const Job& job) {
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

void Shapes::grow() {
  const std::pmr::vector<Slot> old = std::move(slots_);
  slots_.assign(4 * old.size(), {});
  for (const Slot& slot : old) {
    if (slot.next == 0) continue;
    std::size_t at = home(slot.need, slot.memory);
    while (slots_[at].next != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

}  // namespace aliquot
