#include "tools/experiments/sweep/grid.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "config/file_text.hpp"
#include "config/section_reader.hpp"
#include "policies/policy.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/generate/dfrs_workload.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostTrials = 1'000'000;
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

// The workload with its times between arrivals multiplied so that it offers this load.
Result<Workload> scaled(Workload workload, std::uint32_t nodes, double load) {
  const double now = load_of(workload, nodes);
  if (now == 0)
    return fail(ErrorKind::invalid_argument,
                "a workload that is submitted at one instant has no load to scale");
  for (WorkloadJob& job : workload.jobs)
    job.submitted.raw = std::llround(static_cast<double>(job.submitted.raw) * (now / load));
  return workload;
}

InstanceSource file_maker(const Grid& grid, const std::string& path, std::uint32_t nodes,
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

InstanceSource synthetic_maker(const Grid& grid, std::uint32_t seed, std::uint32_t nodes,
                               const std::optional<Decimal>& load) {
  InstanceSource source;
  source.shape.nodes = nodes;
  DfrsOptions made{seed, std::nullopt, grid.jobs, nodes};
  if (load) made.load = number(*load);
  source.make = [made] { return dfrs_workload(made); };
  return source;
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
  double trials = 1;
  for (const std::size_t size : {grid.workloads.size(), grid.nodes.size(), grid.policies.size(),
                                 grid.penalties.size(), grid.loads.size(), all_seeds(grid).size()})
    trials *= static_cast<double>(size);
  if (trials <= static_cast<double>(kMostTrials)) return {};
  return fail(ErrorKind::too_large,
              "the grid has more than " + std::to_string(kMostTrials) + " trials: split it");
}

constexpr std::size_t kMostBytes = 1 << 20;

template <class Value, class Parse>
Form<Value> form(std::string expects, Parse parse) {
  return {std::move(expects), "", std::move(parse), [](const Value&) { return std::string(); }};
}

// The value, or its error with what to write instead.
template <class Value>
Result<Value> instead(const Result<Value>& value, const std::string& expects) {
  if (value) return value;
  return fail(value.error().kind, value.error().message + "; write " + expects);
}

Form<Decimal> decimal(const std::string& expects, Decimal most) {
  return form<Decimal>(expects, [=](const std::string& text) -> Result<Decimal> {
    auto value = parse_decimal(text);
    if (value && (value->pico < 0 || *value > most))
      value = fail(ErrorKind::invalid_argument, "'" + text + "' is out of range");
    return instead(value, expects);
  });
}

Form<std::string> policy_spec() {
  return form<std::string>("a policy, for example EASY",
                           [](const std::string& text) -> Result<std::string> {
                             const auto policy = make_simulated_policy(text);
                             if (!policy) return tl::unexpected(policy.error());
                             return (*policy)->name();
                           });
}

Form<Duration> penalty_seconds() {
  const auto seconds = decimal("seconds, for example 300", kLongestRuntime);
  return form<Duration>(seconds.expects, [seconds](const std::string& text) {
    return seconds.parse(text).map([](Decimal value) { return to_duration(value); });
  });
}

Form<std::optional<Decimal>> offered_load() {
  const std::string expects = "a load above 0, for example 0.7, or unscaled";
  return form<std::optional<Decimal>>(
      expects, [=](const std::string& text) -> Result<std::optional<Decimal>> {
        if (text == "unscaled") return std::nullopt;
        const auto value = decimal(expects, Decimal{100 * kPico}).parse(text);
        if (!value) return tl::unexpected(value.error());
        if (value->pico == 0)
          return fail(ErrorKind::invalid_argument, "a load of 0 has no jobs; write " + expects);
        return *value;
      });
}

Form<Seeds> seeds() {
  const std::string expects = "a seed, or a range of at most a million like 1..20";
  return form<Seeds>(expects, [=](const std::string& text) -> Result<Seeds> {
    const std::size_t dots = text.find("..");
    const auto first = parse_count(std::string_view(text).substr(0, dots), UINT32_MAX);
    const auto last = dots == std::string::npos
                          ? first
                          : parse_count(std::string_view(text).substr(dots + 2), UINT32_MAX);
    if (!first || !last || *first > *last || *last - *first >= 1'000'000)
      return fail(ErrorKind::invalid_argument, "'" + text + "' is no seed; write " + expects);
    return Seeds{static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last)};
  });
}

#define ALIQUOT_AT(member) \
  [](auto& target) -> auto& { return target.member; }

const std::vector<Field<Grid>>& grid_fields() {
  static const auto rows = [] {
    const auto count = [](std::uint64_t most) {
      return narrowed<std::uint32_t>(count_between(1, static_cast<std::int64_t>(most)));
    };
    std::vector<Field<Grid>> made;
    made.push_back(list_field<Grid, std::string>("workloads", ALIQUOT_AT(workloads),
                                                 free_text("a file, or dfrs"), "What is run."));
    made.push_back(
        list_field<Grid, std::uint32_t>("nodes", ALIQUOT_AT(nodes), count(kMostNodes), "How many."));
    made.push_back(
        list_field<Grid, std::string>("policies", ALIQUOT_AT(policies), policy_spec(), "Compared."));
    made.back().required = true;
    made.push_back(
        list_field<Grid, Duration>("penalties", ALIQUOT_AT(penalties), penalty_seconds(), "Seconds."));
    made.push_back(list_field<Grid, std::optional<Decimal>>("loads", ALIQUOT_AT(loads), offered_load(),
                                                            "The time between arrivals is scaled to."));
    made.push_back(list_field<Grid, Seeds>("seeds", ALIQUOT_AT(seeds), seeds(), "Of synthetic workloads."));
    made.push_back(
        field<Grid, std::uint32_t>("jobs", ALIQUOT_AT(jobs), count(kMostJobs), "Of a synthetic workload."));
    made.push_back(
        field<Grid, std::uint32_t>("cores_per_node", ALIQUOT_AT(cores), count(kMostCores), "Of a node."));
    made.push_back(field<Grid, Decimal>("node_memory", ALIQUOT_AT(memory),
                                        decimal("GB of a node, for example 8", kMostMemory),
                                        "GB of a node."));
    made.push_back(
        field<Grid, std::string>("swf", ALIQUOT_AT(swf), one_of({"procs", "dfrs"}), "How SWF is read."));
    return made;
  }();
  return rows;
}

#undef ALIQUOT_AT

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

Result<Grid> parse_grid(std::string_view text, const std::string& file) {
  const auto root = parse_yaml(text, file);
  if (!root) return tl::unexpected(as_error({root.error()}));
  Reading reading{{file}, {}, {}};
  Grid grid;
  constexpr const char* example = "write for example policies: [EASY, DYNMCB8-ASAP-PER-600]";
  if (root->kind != YamlNode::Kind::map) {
    reading.fault({1, 1}, "", std::string("the file names no policies; ") + example);
  } else {
    read_fields(*root, grid_fields(), "", "", grid, reading, {});
    for (const YamlEntry& entry : root->entries) {
      if (entry.value.kind == YamlNode::Kind::list && entry.value.items.empty())
        reading.fault(entry.value.place, entry.key, "the list is empty; name at least one");
    }
    if (std::ranges::find(root->entries, "policies", &YamlEntry::key) == root->entries.end())
      reading.fault({1, 1}, "policies", std::string("the key is missing; ") + example);
  }
  if (reading.faults.empty()) return grid;
  std::ranges::stable_sort(reading.faults, {}, &Fault::place);
  return tl::unexpected(as_error(reading.faults));
}

Result<Grid> read_grid(const std::string& path) {
  const auto text = read_file_text(path, kMostBytes);
  if (!text) return tl::unexpected(as_error({text.error()}));
  return parse_grid(*text, path);
}

}  // namespace aliquot
