#include "tools/bench/packing_instances.hpp"

#include <map>
#include <utility>

#include "tools/sim/decide/draws.hpp"

namespace aliquot {

namespace {

constexpr Cpu kCapacity = cores(4);
constexpr Memory kMemory{8'000'000'000};
constexpr std::size_t kMostDifferent = 64;
constexpr int kMostRefused = 20;  // jobs in a row that would be too much

struct Task {
  std::int64_t need = 0;
  std::int64_t memory = 0;
  friend auto operator<=>(const Task&, const Task&) = default;
};

Task uniform(Draws& draws) {
  const std::int64_t need = draws.between(1, kCapacity.raw);
  return {need, draws.between(1, kMemory.raw * 65 / 100)};
}

Task draw_task(Draws& draws, ShapesOf shapes, std::uint32_t tasks, const std::vector<Task>& known) {
  switch (shapes) {
    case ShapesOf::paper: {
      const std::int64_t tenths = draws.unit() < 0.55 ? 1 : draws.between(2, 10);
      return {tasks == 1 ? kCapacity.raw / 4 : kCapacity.raw, kMemory.raw / 10 * tenths};
    }
    case ShapesOf::flavours: {
      const std::int64_t need = kCapacity.raw / 8 << draws.between(0, 3);
      return {need, kMemory.raw / 32 << draws.between(0, 4)};
    }
    case ShapesOf::tenths: {
      const std::int64_t need = kCapacity.raw / 10 * draws.between(1, 10);
      return {need, kMemory.raw / 20 * draws.between(1, 13)};
    }
    case ShapesOf::drawn:
      return known[static_cast<std::size_t>(draws.between(0, kMostDifferent - 1))];
    case ShapesOf::continuous:
      return uniform(draws);
  }
  return {};
}

}  // namespace

PackingInstance make_instance(ShapesOf shapes, std::uint32_t nodes, std::uint64_t seed) {
  Draws draws(seed * 8 + static_cast<std::uint64_t>(shapes));
  const double filled = 0.3 + 0.7 * draws.unit();
  const auto limit = static_cast<std::int64_t>(filled * static_cast<double>(kMemory.raw) * nodes);
  std::vector<Task> known;
  if (shapes == ShapesOf::drawn) {
    while (known.size() < kMostDifferent) known.push_back(uniform(draws));
  }
  std::map<Task, std::int64_t> counts;
  std::int64_t memory = 0;
  for (int refused = 0; refused < kMostRefused;) {
    const std::uint32_t tasks = lublin_size(draws);
    const Task task = draw_task(draws, shapes, tasks, known);
    const bool too_many =
        shapes == ShapesOf::tenths && counts.size() >= kMostDifferent && !counts.contains(task);
    if (too_many || memory + task.memory * tasks > limit) {
      ++refused;
      continue;
    }
    memory += task.memory * tasks;
    counts[task] += tasks;
  }
  PackingInstance made{{}, {kCapacity, kMemory, {}, nodes}};
  for (const auto& [task, count] : counts) made.shapes.push_back({{task.need}, {task.memory}, {}, count});
  return made;
}

}  // namespace aliquot
