#include "policies/dfrs/shapes.hpp"

namespace aliquot {

namespace {

constexpr std::size_t kFirstSlots = 64;

std::uint64_t mixed(const Demand& demand) {
  std::uint64_t z = static_cast<std::uint64_t>(demand.need.raw) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ static_cast<std::uint64_t>(demand.memory.raw)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 29) ^ static_cast<std::uint64_t>(demand.min_yield.raw)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 32);
}

}  // namespace

std::size_t Shapes::slot_of(const Demand& demand) const {
  std::size_t at = mixed(demand) & (slots_.size() - 1);
  for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
    const Shape& known = shapes_[slots_[at] - 1];
    if (known.need == demand.need && known.memory == demand.memory && known.min_yield == demand.min_yield)
      break;
  }
  return at;
}

void Shapes::grow() {
  slots_.assign(slots_.empty() ? kFirstSlots : 4 * slots_.size(), 0);
  for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
    Demand demand;
    demand.need = shapes_[s].need;
    demand.memory = shapes_[s].memory;
    demand.min_yield = shapes_[s].min_yield;
    slots_[slot_of(demand)] = s + 1;
  }
}

std::uint32_t Shapes::shape_of(const Job& job) {
  const Demand& demand = job.demand;
  const auto fresh = static_cast<std::uint32_t>(shapes_.size());
  if (rule_.equal_for_equal_demands()) {
    if (2 * (shapes_.size() + 1) > slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(demand)];
    if (slot != 0) return slot - 1;
    slot = fresh + 1;
  }
  shapes_.push_back({demand.need, demand.memory, demand.min_yield, rule_.line(job), 0});
  return fresh;
}

}  // namespace aliquot
