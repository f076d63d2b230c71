#include "policies/dfrs/shapes.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace aliquot {

void Shapes::add(std::size_t entry) {
  const Demand& demand = draft_.job(entry).demand;
  const std::size_t apart = rule_.equal_for_equal_demands ? 0 : entry;
  const auto [at, fresh] =
      index_.try_emplace(std::tuple(demand.need, demand.memory, demand.min_yield, apart), shapes_.size());
  if (fresh) shapes_.push_back({&draft_.job(entry), 0, {}});
  Shape& shape = shapes_[at->second];
  shape.tasks += demand.tasks;
  memory_ += demand.memory * demand.tasks;
  shape.entries.push_back(entry);
  if (shape_of_.size() <= entry) shape_of_.resize(draft_.size());
  shape_of_[entry] = at->second;
}

void Shapes::drop(std::size_t entry) {
  const Demand& demand = draft_.job(entry).demand;
  Shape& shape = shapes_[shape_of_[entry]];
  shape.tasks -= demand.tasks;
  memory_ -= demand.memory * demand.tasks;
  std::erase(shape.entries, entry);
}

std::optional<ShapesPacked> Shapes::pack(Bins& bins, Yield level) const {
  struct Sized {
    Cpu cpu;
    Memory memory;
    std::uint32_t shape;
  };
  std::vector<Sized> sized;
  for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
    const Job& job = *shapes_[s].sample;
    if (shapes_[s].tasks == 0) continue;
    sized.push_back({job.demand.need * rule_.yield_at(job, level), job.demand.memory, s});
  }
  std::sort(sized.begin(), sized.end(), [](const Sized& a, const Sized& b) {
    return std::tie(a.cpu, a.memory, a.shape) < std::tie(b.cpu, b.memory, b.shape);
  });
  // Different shapes may be of equal size at this level: to MCB8 they are one class.
  std::vector<TaskClass> classes;
  std::vector<std::uint32_t> class_of_shape(shapes_.size());
  for (const Sized& s : sized) {
    if (classes.empty() || classes.back().cpu != s.cpu || classes.back().memory != s.memory) {
      classes.push_back({s.cpu, s.memory, 0});
    }
    classes.back().count += shapes_[s.shape].tasks;
    class_of_shape[s.shape] = static_cast<std::uint32_t>(classes.size() - 1);
  }
  auto packing = mcb8(classes, bins.at(rule_, level));
  if (!packing) return std::nullopt;
  return ShapesPacked{*std::move(packing), std::move(class_of_shape)};
}

std::vector<std::vector<std::size_t>> Shapes::entries_by_class(const ShapesPacked& packed) const {
  std::vector<std::vector<std::size_t>> entries;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    if (shapes_[s].tasks == 0) continue;
    const std::uint32_t c = packed.class_of_shape[s];
    if (c >= entries.size()) entries.resize(c + 1);
    entries[c].insert(entries[c].end(), shapes_[s].entries.begin(), shapes_[s].entries.end());
  }
  for (auto& of_class : entries) std::sort(of_class.begin(), of_class.end(), std::greater<>());
  return entries;
}

}  // namespace aliquot
