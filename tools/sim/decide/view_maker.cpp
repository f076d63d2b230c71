#include "tools/sim/decide/view_maker.hpp"

#include <algorithm>
#include <utility>

#include "tools/sim/decide/draws.hpp"

namespace aliquot {

namespace {

constexpr Cpu kCapacity = cores(4);
constexpr Memory kMemory{8'000'000'000};
constexpr std::int64_t kDay = 86'400;
constexpr std::uint32_t kLookAhead = 512;  // nodes that are asked for room

Demand draw_demand(Draws& draws, Sizes sizes) {
  Demand demand;
  demand.tasks = lublin_size(draws);
  if (sizes == Sizes::continuous) {
    demand.need = {draws.between(1, kCapacity.raw)};
    demand.memory = {draws.between(1, kMemory.raw * 65 / 100)};
    return demand;
  }
  demand.need = {demand.tasks == 1 ? kCapacity.raw / 4 : kCapacity.raw};
  const std::int64_t tenths = draws.unit() < 0.55 ? 1 : draws.between(2, 10);
  demand.memory = {kMemory.raw / 10 * tenths};
  return demand;
}

// Tasks go round the nodes, each to the next that has the memory.
class Rotation {
 public:
  explicit Rotation(std::uint32_t nodes) : free_(nodes, kMemory), load_(nodes) {}

  Placement place(const Demand& demand) {
    std::vector<std::uint32_t> found;
    const auto size = static_cast<std::uint32_t>(free_.size());
    for (std::uint32_t step = 0; step < std::min(size, kLookAhead) && found.size() < demand.tasks; ++step) {
      const std::uint32_t n = (next_ + step) % size;
      if (free_[n] >= demand.memory) found.push_back(n);
    }
    if (found.size() < demand.tasks) return {};
    next_ = (found.back() + 1) % size;
    std::sort(found.begin(), found.end());
    Placement placement;
    for (const std::uint32_t n : found) {
      free_[n] -= demand.memory;
      load_[n] += demand.need;
      placement.push_back({{n}, 1});
    }
    return placement;
  }
  [[nodiscard]] Yield yield() const {
    return yield_for(kCapacity, *std::max_element(load_.begin(), load_.end()));
  }

 private:
  std::vector<Memory> free_;
  std::vector<Cpu> load_;
  std::uint32_t next_ = 0;
};

Job draw_job(Draws& draws, Sizes sizes, Instant now, JobId id, bool arrives) {
  Job job;
  job.id = id;
  job.demand = draw_demand(draws, sizes);
  const std::int64_t age = draws.between(1, kDay * kMillion);
  const std::int64_t progress = draws.between(0, 800'000);  // at most four fifths of its time
  job.submitted = arrives ? now : now - Duration{age};
  job.phase_since = job.submitted;
  job.progress.since = now;
  if (!arrives) job.progress.accrued = Duration{age} * Yield{progress};
  return job;
}

}  // namespace

ClusterView make_view(std::uint32_t nodes, std::uint32_t jobs, Sizes sizes, std::uint64_t seed) {
  Draws draws(seed);
  ClusterView view;
  view.now = Instant{seconds(2 * kDay).raw};
  view.costs.restart = seconds(300);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    Node node;
    node.id = {n};
    node.name = "n" + std::to_string(n);
    node.capacity = kCapacity;
    node.memory = kMemory;
    node.cores = 4;
    view.nodes.push_back(std::move(node));
  }
  Rotation rotation(nodes);
  for (std::uint32_t k = 1; k <= jobs; ++k) {
    const bool arrives = k == jobs;
    Job job = draw_job(draws, sizes, view.now, {k}, arrives);
    const bool waits = draws.unit() < 0.1;
    if (!arrives) job.placement = rotation.place(job.demand);
    if (!job.placement.empty()) {
      job.phase = Phase::running;
    } else if (waits || arrives) {
      job.progress.accrued = {};
    } else {
      job.phase = Phase::paused;
    }
    view.jobs.emplace(JobId{k}, std::move(job));
  }
  for (auto& [id, job] : view.jobs) {
    if (job.phase == Phase::running) job.yield = job.progress.rate = rotation.yield();
  }
  if (jobs > 0) view.cause.arrived.push_back({jobs});
  return view;
}

}  // namespace aliquot
