#include "policies/dfrs/level_packer.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

LevelPacker::LevelPacker(const TaskShapes& shapes, Bins& bins, std::pmr::memory_resource* memory)
    : shapes_(shapes),
      bins_(bins),
      by_need_(memory),
      by_memory_(memory),
      cpu_(shapes.size(), memory),
      more_cpu_(memory),
      more_memory_(memory),
      mcb8_(memory),
      trial_(memory),
      found_(memory) {
  by_need_.reserve(shapes.size());
  for (std::uint32_t s = 0; s < shapes.size(); ++s) {
    if (shapes[s].tasks > 0) by_need_.push_back(s);
  }
  by_memory_ = by_need_;
  std::sort(by_need_.begin(), by_need_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(shapes[a].need, shapes[a].memory) > std::pair(shapes[b].need, shapes[b].memory);
  });
  std::sort(by_memory_.begin(), by_memory_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(shapes[a].memory, shapes[a].need) > std::pair(shapes[b].memory, shapes[b].need);
  });
}

bool LevelPacker::pack(Yield level) {
  const std::pmr::vector<BinRun>& runs = bins_.at(shapes_.objective(), level);
  const BinVolume& volume = bins_.volume();
  if (volume.overdrawn) return false;
  Volume spare = volume.free;
  std::int64_t tasks = 0;
  for (const std::uint32_t s : by_need_) {
    const TaskShape& shape = shapes_[s];
    if (shape.tasks == 0) continue;
    cpu_[s] = shape.need * shape.line.at(level);
    tasks += shape.tasks;
    spare.cpu -= static_cast<Int128>(cpu_[s].raw) * shape.tasks;
    spare.memory -= static_cast<Int128>(shape.memory.raw) * shape.tasks;
  }
  if (spare.cpu < 0 || spare.memory < 0) return false;  // no packing at all could do it
  gather(volume.whole);
  trial_.class_of_shape.resize(shapes_.size());
  trial_.classes = 0;
  fill(more_cpu_, mcb8_.cpu_list());
  fill(more_memory_, mcb8_.memory_list());
  if (!mcb8_.pack(runs, spare, tasks, trial_.packing)) return false;
  std::swap(trial_, found_);
  return true;
}

void LevelPacker::adopt(Packing packing, std::span<const std::uint32_t> class_of_shape,
                        std::size_t classes) {
  found_.packing = std::move(packing);
  found_.class_of_shape.assign(class_of_shape.begin(), class_of_shape.end());
  found_.classes = static_cast<std::uint32_t>(classes);
}

void LevelPacker::gather(const Volume& whole) {
  more_cpu_.clear();
  more_memory_.clear();
  for (const std::uint32_t s : by_need_) {
    const std::int64_t memory = shapes_[s].memory.raw;
    if (shapes_[s].tasks == 0 || !more_cpu_than_memory(cpu_[s].raw, memory, whole)) continue;
    more_cpu_.push_back({cpu_[s].raw, memory, s});
  }
  for (const std::uint32_t s : by_memory_) {
    const std::int64_t memory = shapes_[s].memory.raw;
    if (shapes_[s].tasks == 0 || more_cpu_than_memory(cpu_[s].raw, memory, whole)) continue;
    more_memory_.push_back({memory, cpu_[s].raw, s});
  }
}

// Different shapes may be of equal size at this level: to MCB8 they are one class.
void LevelPacker::fill(std::pmr::vector<Sized>& sized, ClassList& list) {
  const auto before = [](const Sized& a, const Sized& b) {
    return a.primary != b.primary ? a.primary > b.primary : a.secondary > b.secondary;
  };
  if (!std::is_sorted(sized.begin(), sized.end(), before)) std::sort(sized.begin(), sized.end(), before);
  list.clear();
  for (std::size_t k = 0; k < sized.size();) {
    SizedClass made{sized[k].primary, sized[k].secondary, 0, trial_.classes++};
    for (; k < sized.size() && sized[k].primary == made.primary && sized[k].secondary == made.secondary;
         ++k) {
      made.count += shapes_[sized[k].shape].tasks;
      trial_.class_of_shape[sized[k].shape] = made.task_class;
    }
    list.push(made);
  }
}

}  // namespace aliquot
