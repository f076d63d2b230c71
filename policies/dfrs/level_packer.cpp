#include "policies/dfrs/level_packer.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "policies/packing/search.hpp"

namespace aliquot {

LevelPacker::LevelPacker(const TaskShapes& shapes, Bins& bins, std::pmr::memory_resource* memory)
    : shapes_(shapes), bins_(bins), mcb8_(memory), trial_(memory), found_(memory) {}

bool LevelPacker::pack(Yield level) {
  const std::pmr::vector<BinRun>& runs = bins_.at(shapes_.objective(), level);
  const BinVolume& volume = bins_.volume();
  if (volume.overdrawn) return false;
  Volume spare = volume.free;
  std::int64_t tasks = 0;
  ClassList& more_cpu = mcb8_.cpu_list();
  ClassList& more_memory = mcb8_.memory_list();
  more_cpu.clear();
  more_memory.clear();
  for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
    const TaskShape& shape = shapes_[s];
    if (shape.tasks == 0) continue;
    const Cpu cpu = shape.need * shape.line.at(level);
    const bool by_cpu = more_cpu_than_memory(cpu.raw, shape.memory.raw, volume.whole);
    (by_cpu ? more_cpu : more_memory).push_back({cpu, shape.memory, shape.tasks, s});
    tasks += shape.tasks;
    spare.cpu -= static_cast<Int128>(cpu.raw) * shape.tasks;
    spare.memory -= static_cast<Int128>(shape.memory.raw) * shape.tasks;
  }
  if (spare.cpu < 0 || spare.memory < 0) return false;  // no packing at all could do it
  trial_.class_of_shape.resize(shapes_.size());
  trial_.classes = 0;
  std::ranges::sort(more_cpu, std::greater<>(),
                    [](const ListedClass& c) { return std::pair(c.cpu, c.memory); });
  std::ranges::sort(more_memory, std::greater<>(),
                    [](const ListedClass& c) { return std::pair(c.memory, c.cpu); });
  unite(more_cpu);
  unite(more_memory);
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

// Different shapes may be of equal size at this level: to MCB8 they are one class. They stand side by side,
// and each entry names its shape; afterwards its class.
void LevelPacker::unite(ClassList& list) {
  std::size_t classes = 0;
  for (const ListedClass& next : list) {
    const bool same =
        classes > 0 && list[classes - 1].cpu == next.cpu && list[classes - 1].memory == next.memory;
    const std::uint32_t shape = next.task_class;
    if (same)
      list[classes - 1].count += next.count;
    else
      list[classes++] = {next.cpu, next.memory, next.count, trial_.classes++};
    trial_.class_of_shape[shape] = list[classes - 1].task_class;
  }
  list.resize(classes);
}

bool leave_out_lowest_priority(PackingJobs& jobs, LevelPacker& packer, Yield level) {
  std::pmr::vector<PackingJob> order = jobs.jobs();
  sort_by_key(order);
  std::size_t kept = order.size();
  const auto keep = [&](std::size_t count) {
    for (; kept > count; --kept)
      jobs.shapes().add(order[kept - 1].shape, -std::int64_t{order[kept - 1].tasks});
    for (; kept < count; ++kept) jobs.shapes().add(order[kept].shape, order[kept].tasks);
  };
  keep(largest_count_that_works(kept, [&](std::size_t count) {
    keep(count);
    return packer.pack(level);
  }));
  keep_before(jobs.jobs(), order[kept]);
  return kept > 0;
}

}  // namespace aliquot
