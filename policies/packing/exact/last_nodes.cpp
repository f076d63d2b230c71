#include "policies/packing/exact/last_nodes.hpp"

#include <algorithm>
#include <array>

namespace aliquot {

bool LastNodes::is_new(std::span<const std::int64_t> left) {
  const std::uint64_t mark = mark_of(left);
  if (std::find(asked_.begin(), asked_.end(), mark) != asked_.end()) return false;
  asked_.push_back(mark);
  return true;
}

LastNodes::Unused LastNodes::unused_by(std::span<const std::int64_t> left, std::int64_t nodes) const {
  Unused unused{static_cast<Int128>(room_.cpu.raw) * nodes, static_cast<Int128>(room_.memory.raw) * nodes};
  for (std::size_t s = 0; s < left.size(); ++s) {
    unused.cpu -= static_cast<Int128>(sizes_[s].cpu.raw) * left[s];
    unused.memory -= static_cast<Int128>(sizes_[s].memory.raw) * left[s];
  }
  return unused;
}

bool LastNodes::pack(std::span<const std::int64_t> left, std::int64_t nodes, PatternPacking& packed) {
  if (nodes > kMostNodes || steps_ >= kStepsOfAll || !is_new(left)) return false;
  const std::uint64_t enough = steps_ + kStepsOfARest;
  left_ = left;
  nodes_ = nodes;
  const Unused spare = unused_by(left, nodes);
  if (spare.possible() && try_with({}, packed)) return true;
  look_at_filled(packed, spare);
  const auto fits = [&](const Unused& a, const Unused& b) {
    return Unused{spare.cpu + a.cpu + b.cpu, spare.memory + a.memory + b.memory}.possible();
  };
  for (const Filled& one : filled_) {
    if (steps_ >= enough) return false;
    if (fits(one.unused, {}) && try_with(std::array{one.which}, packed)) return true;
  }
  for (std::size_t b = 1; b < filled_.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if (steps_ >= enough) return false;
      const std::array both = {filled_[a].which, filled_[b].which};
      if (fits(filled_[a].unused, filled_[b].unused) && try_with(both, packed)) return true;
    }
  }
  return false;
}

// By what they leave of what is scarcer.
void LastNodes::look_at_filled(const PatternPacking& packed, const Unused& spare) {
  filled_.clear();
  for (std::size_t i = 0; i < packed.size(); ++i) {
    Unused unused{room_.cpu.raw, room_.memory.raw};
    for (const ShapeUnits& part : packed[i].pattern) {
      unused.cpu -= static_cast<Int128>(sizes_[part.shape].cpu.raw) * part.units;
      unused.memory -= static_cast<Int128>(sizes_[part.shape].memory.raw) * part.units;
    }
    filled_.push_back({unused, i});
  }
  const bool by_cpu = spare.cpu * room_.memory.raw <= spare.memory * room_.cpu.raw;
  std::stable_sort(filled_.begin(), filled_.end(), [by_cpu](const Filled& a, const Filled& b) {
    return by_cpu ? a.unused.cpu > b.unused.cpu : a.unused.memory > b.unused.memory;
  });
}

bool LastNodes::try_with(std::span<const std::size_t> opened, PatternPacking& packed) {
  count_.assign(left_.begin(), left_.end());
  for (const std::size_t which : opened) {
    for (const ShapeUnits& part : packed[which].pattern) count_[part.shape] += part.units;
  }
  list_tasks();
  const std::int64_t nodes = nodes_ + static_cast<std::int64_t>(opened.size());
  spare_ = unused_by(count_, nodes);
  closed_.clear();
  steps_ += kStepsToBegin;
  limit_ = steps_ + kStepsOfATry;
  if (!place(nodes)) return false;
  for (const std::size_t which : opened) --packed[which].nodes;
  std::erase_if(packed, [](const FilledKind& filled) { return filled.nodes == 0; });
  for (Pattern& pattern : closed_) {
    for (ShapeUnits& part : pattern) part.shape = tasks_[part.shape].shape;
    std::sort(pattern.begin(), pattern.end(),
              [](const ShapeUnits& a, const ShapeUnits& b) { return a.shape < b.shape; });
    packed.push_back({0, 1, std::move(pattern)});
  }
  return true;
}

void LastNodes::list_tasks() {
  tasks_.clear();
  to_place_ = 0;
  for (std::uint32_t s = 0; s < count_.size(); ++s) {
    if (count_[s] <= 0) continue;
    tasks_.push_back({sizes_[s], count_[s], s});
    to_place_ += count_[s];
  }
  const auto size = [this](const Task& task) {
    return static_cast<double>(task.size.cpu.raw) /
               static_cast<double>(std::max<std::int64_t>(room_.cpu.raw, 1)) +
           static_cast<double>(task.size.memory.raw) /
               static_cast<double>(std::max<std::int64_t>(room_.memory.raw, 1));
  };
  std::stable_sort(tasks_.begin(), tasks_.end(),
                   [&](const Task& a, const Task& b) { return size(a) > size(b); });
}

void LastNodes::take(std::size_t task) {
  --tasks_[task].left;
  --to_place_;
  if (!open_.empty() && open_.back().shape == task) {
    ++open_.back().units;
  } else {
    open_.push_back({static_cast<std::uint32_t>(task), 1});
  }
}

void LastNodes::put_back(std::size_t task) {
  ++tasks_[task].left;
  ++to_place_;
  if (--open_.back().units == 0) open_.pop_back();
}

// The largest task that is left is on one of these nodes: on the next.
bool LastNodes::place(std::int64_t nodes) {
  open_.clear();
  if (to_place_ == 0) return true;
  if (nodes == 0) return false;
  std::size_t largest = 0;
  while (tasks_[largest].left == 0) ++largest;
  const TaskSize& size = tasks_[largest].size;
  const std::int64_t cpu = room_.cpu.raw - size.cpu.raw;
  const std::int64_t memory = room_.memory.raw - size.memory.raw;
  if (cpu < 0 || memory < 0) return false;
  take(largest);
  if (fill(largest, cpu, memory, nodes)) return true;
  put_back(largest);
  return false;
}

// With so much free on the open node, and tasks from this one on; the others get what it is closed with.
bool LastNodes::fill(std::size_t from, std::int64_t cpu, std::int64_t memory, std::int64_t nodes) {
  if (++steps_ > limit_) return false;
  for (std::size_t t = from; t < tasks_.size(); ++t) {
    const TaskSize& size = tasks_[t].size;
    if (tasks_[t].left == 0 || size.cpu.raw > cpu || size.memory.raw > memory) continue;
    take(t);
    if (fill(t, cpu - size.cpu.raw, memory - size.memory.raw, nodes)) return true;
    put_back(t);
    if (steps_ > limit_) return false;
  }
  if (cpu > spare_.cpu || memory > spare_.memory) return false;
  spare_.cpu -= cpu;
  spare_.memory -= memory;
  closed_.push_back(open_);
  if (place(nodes - 1)) return true;
  spare_.cpu += cpu;
  spare_.memory += memory;
  open_ = std::move(closed_.back());
  closed_.pop_back();
  return false;
}

}  // namespace aliquot
