#include "policies/dfrs/level_packer.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

LevelPacker::LevelPacker(const TaskShapes& shapes, Bins& bins, std::pmr::memory_resource* memory)
    : shapes_(shapes),
      bins_(bins),
      more_cpu_(memory),
      more_memory_(memory),
      mcb8_(memory),
      trial_(memory),
      found_(memory) {}

bool LevelPacker::pack(Yield level) {
  const std::pmr::vector<BinRun>& runs = bins_.at(shapes_.objective(), level);
  const BinVolume& volume = bins_.volume();
  if (volume.overdrawn) return false;
  Volume spare = volume.free;
  std::int64_t tasks = 0;
  more_cpu_.clear();
  more_memory_.clear();
  for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
    const TaskShape& shape = shapes_[s];
    if (shape.tasks == 0) continue;
    const std::int64_t cpu = (shape.need * shape.line.at(level)).raw;
    const std::int64_t memory = shape.memory.raw;
    if (more_cpu_than_memory(cpu, memory, volume.whole))
      more_cpu_.push_back({cpu, memory, s});
    else
      more_memory_.push_back({memory, cpu, s});
    tasks += shape.tasks;
    spare.cpu -= static_cast<Int128>(cpu) * shape.tasks;
    spare.memory -= static_cast<Int128>(memory) * shape.tasks;
  }
  if (spare.cpu < 0 || spare.memory < 0) return false;  // no packing at all could do it
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
