#include "test/support/packing_view.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace aliquot::test {

namespace {

enum Kind : std::uint64_t {
  paper,        // the paper's needs and requirements (DFRS, IV-C)
  continuous,   // no two jobs alike
  few_shapes,   // three shapes, jobs of many tasks
  tiny_tasks,   // hundreds of tasks in a bin
  no_memory,    // far more memory asked for than there is
  unlike,       // nodes of three sizes, in disorder
  fixed,        // pinned jobs, unusable nodes, holds, guarantees
  many_shapes,  // hundreds of jobs on few, large nodes
};

struct Size {
  std::int64_t nodes;
  std::int64_t jobs;
  std::int64_t tasks;  // of one job, at most
};
constexpr std::array<Size, kPackingKinds> kSizes{{{20, 40, 16},
                                                  {16, 30, 12},
                                                  {24, 20, 60},
                                                  {6, 12, 400},
                                                  {12, 40, 10},
                                                  {18, 40, 10},
                                                  {14, 30, 6},
                                                  {4, 300, 3}}};

Demand demand_of(Dice& dice, Kind kind, const Node& like, std::int64_t most_tasks) {
  Demand demand;
  demand.tasks = static_cast<std::uint32_t>(dice.chance(25) ? 1 : dice.between(1, most_tasks));
  const Cpu cpu = like.capacity;
  const Memory memory = like.memory;
  switch (kind) {
    case few_shapes: {
      const std::int64_t shape = dice.between(1, 3);
      demand.need = {cpu.raw * shape / 4};
      demand.memory = {memory.raw * (4 - shape) / 11};
      break;
    }
    case tiny_tasks:
      demand.need = {dice.between(1, cpu.raw / 50)};
      demand.memory = {dice.chance(20) ? dice.between(0, 3) : dice.between(1, memory.raw / 200)};
      break;
    case many_shapes:
      demand.need = {dice.between(1, cpu.raw / 20)};
      demand.memory = {dice.between(1, memory.raw / 60)};
      break;
    case paper:
    case no_memory:
      demand.need = {demand.tasks == 1 ? cpu.raw / 4 : cpu.raw};
      demand.memory = {memory.raw / 10 * (dice.chance(kind == paper ? 55 : 20) ? 1 : dice.between(2, 10))};
      break;
    default:
      demand.need = {dice.between(1, cpu.raw)};
      demand.memory = {dice.between(1, memory.raw * 6 / 10)};
  }
  return demand;
}

void make_fixed(Dice& dice, ClusterView& view, Job& job) {
  job.held = dice.chance(8);
  if (dice.chance(25)) job.demand.min_yield = {dice.between(1, kMillion / 2)};
  if (!dice.chance(35)) return;
  job.phase = Phase::running;
  job.pinned = dice.chance(50);
  job.demand.movable = dice.chance(80);
  for (std::uint32_t n = 0; n < view.nodes.size() && job.placement.size() < job.demand.tasks; ++n) {
    if (dice.chance(40)) job.placement.push_back({{n}, 1});
  }
  job.demand.tasks = static_cast<std::uint32_t>(job.placement.size());
  if (job.placement.empty()) {
    job.phase = Phase::waiting;
    job.demand.tasks = 1;
  }
}

}  // namespace

ClusterView packing_view(std::uint64_t seed) {
  Dice dice(seed);
  const Kind kind = static_cast<Kind>(seed % kPackingKinds);
  const Size size = kSizes[kind];
  ClusterView view;
  view.now = Instant{seconds(100'000).raw};
  const auto nodes = static_cast<std::uint32_t>(dice.between(1, size.nodes));
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const std::int64_t scale = kind == unlike ? dice.between(1, 3) : kind == many_shapes ? 4 : 2;
    view.nodes.push_back({{n},
                          "n" + std::to_string(n),
                          cores(scale),
                          mebibytes(1000 * scale),
                          NodeState::up,
                          static_cast<std::uint32_t>(scale)});
    if (kind == unlike) view.nodes.back().memory = mebibytes(1500 * dice.between(1, 2));
    if (kind == fixed && dice.chance(12))
      view.nodes.back().state = static_cast<NodeState>(dice.between(1, 3));
  }
  const std::int64_t jobs = dice.between(1, size.jobs);
  for (std::uint64_t id = 1; id <= static_cast<std::uint64_t>(jobs); ++id) {
    Job job;
    job.id = {id};
    const auto like = static_cast<std::size_t>(dice.between(0, nodes - 1));
    job.demand = demand_of(dice, kind, view.nodes[like], size.tasks);
    job.submitted = view.now - seconds(dice.between(0, 50'000));
    job.progress.since = view.now;
    if (dice.chance(70)) job.progress.accrued = seconds(dice.between(1, 3'000)) * kFullYield;
    if (dice.chance(20))
      job.progress.accrued = seconds(100) * kFullYield;  // equal priorities, now and then
    if (dice.chance(20)) job.submitted = view.now - seconds(10'000);
    if (kind == fixed) make_fixed(dice, view, job);
    view.jobs.emplace(job.id, job);
  }
  return view;
}

}  // namespace aliquot::test
