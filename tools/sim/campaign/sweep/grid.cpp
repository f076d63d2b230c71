#include "tools/sim/campaign/sweep/grid.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tools/sim/generate/dfrs_workload.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostCells = 1'000'000;
constexpr const char* kSynthetic = "dfrs";

template <class Value>
void drop_repeated(std::vector<Value>& values) {
  std::vector<Value> once;
  for (Value& value : values)
    if (std::ranges::find(once, value) == once.end()) once.push_back(std::move(value));
  values = std::move(once);
}

std::vector<std::uint32_t> all_seeds(const Grid& grid) {
  std::vector<std::uint32_t> list;
  for (const Seeds& seeds : grid.seeds)
    for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
      list.push_back(static_cast<std::uint32_t>(seed));
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

double number(Decimal value) { return static_cast<double>(value.pico) / static_cast<double>(kPico); }

// The time between arrivals, multiplied so that the offered load is this.
Result<Workload> scaled(Workload workload, std::uint32_t nodes, double load) {
  const double now = load_of(workload, nodes);
  if (now == 0)
    return fail(ErrorKind::invalid_argument,
                "a workload that is submitted at one instant has no load to scale");
  for (WorkloadJob& job : workload.jobs)
    job.submitted.raw = std::llround(static_cast<double>(job.submitted.raw) * (now / load));
  return workload;
}

Maker file_maker(const Grid& grid, const std::string& path, std::uint32_t nodes,
                 const std::optional<Decimal>& load) {
  ReadOptions read;
  read.swf = grid.swf == "dfrs" ? ReadOptions::Swf::dfrs : ReadOptions::Swf::procs;
  read.shape.nodes = nodes;
  read.shape.cores_per_node = grid.cores;
  read.shape.node_memory = memory_of(grid.memory, Memory{1'000'000'000});
  return {read.shape, [=]() -> Result<Workload> {
            auto workload = read_workload(path, read);
            if (!workload || !load) return workload;
            return scaled(std::move(*workload), nodes, number(*load));
          }};
}

Maker synthetic_maker(const Grid& grid, std::uint32_t seed, std::uint32_t nodes,
                      const std::optional<Decimal>& load) {
  Maker maker;
  maker.shape.nodes = nodes;
  DfrsOptions made{seed, std::nullopt, grid.jobs, nodes};
  if (load) made.load = number(*load);
  maker.make = [made] { return dfrs_workload(made); };
  return maker;
}

void add_instances(Campaign& campaign, const Grid& grid, const std::string& workload) {
  const std::vector<std::uint32_t> seeds = all_seeds(grid);
  for (const std::uint32_t nodes : grid.nodes) {
    for (const auto& load : grid.loads) {
      const std::string load_text = load ? to_text(*load) : "";
      if (workload != kSynthetic) {
        campaign.add({workload, "", load_text, std::to_string(nodes)},
                     file_maker(grid, workload, nodes, load));
        continue;
      }
      for (const std::uint32_t seed : seeds) {
        campaign.add({workload, std::to_string(seed), load_text, std::to_string(nodes)},
                     synthetic_maker(grid, seed, nodes, load));
      }
    }
  }
}

Result<void> check_size(const Grid& grid) {
  double cells = 1;
  for (const std::size_t size : {grid.workloads.size(), grid.nodes.size(), grid.policies.size(),
                                 grid.penalties.size(), grid.loads.size(), all_seeds(grid).size()})
    cells *= static_cast<double>(size);
  if (cells <= static_cast<double>(kMostCells)) return {};
  return fail(ErrorKind::too_large,
              "the grid has more than " + std::to_string(kMostCells) + " cells: split it");
}

}  // namespace

Result<Campaign> sweep(const Grid& given) {
  Grid grid = given;
  drop_repeated(grid.workloads);
  drop_repeated(grid.nodes);
  drop_repeated(grid.policies);
  drop_repeated(grid.penalties);
  drop_repeated(grid.loads);
  if (auto fits = check_size(grid); !fits) return tl::unexpected(fits.error());
  const bool whole_memory = grid.cores == 4 && grid.memory == Decimal{8 * kPico};
  Campaign campaign;
  CampaignPlan& plan = campaign.plan;
  plan.kind = "sweep";
  plan.policies = grid.policies;
  for (const Duration penalty : grid.penalties) plan.penalties.push_back(to_text(penalty));
  plan.options = {{"workloads", joined(grid.workloads)},
                  {"jobs", std::to_string(grid.jobs)},
                  {"cores_per_node", std::to_string(grid.cores)},
                  {"node_memory_gb", to_text(grid.memory)},
                  {"swf", grid.swf},
                  {"penalties", joined(plan.penalties)},
                  {"policies", joined(plan.policies)}};
  for (const std::string& workload : grid.workloads) {
    if (workload == kSynthetic && !whole_memory) {
      return fail(
          ErrorKind::invalid_argument,
          "the synthetic workload dfrs is made for nodes of 4 cores and 8 GB: remove cores_per_node and "
          "node_memory, or the workload");
    }
    if (workload != kSynthetic && !std::filesystem::exists(workload))
      return fail(ErrorKind::not_found, workload + ": there is no such workload: name a file, or dfrs");
    add_instances(campaign, grid, workload);
  }
  return campaign;
}

}  // namespace aliquot
