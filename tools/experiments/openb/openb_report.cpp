#include "tools/experiments/openb/openb_report.hpp"

#include <algorithm>

#include "monitor/provenance.hpp"
#include "tools/experiments/campaign/progress.hpp"
#include "tools/experiments/campaign/statistics.hpp"
#include "tools/experiments/plots/plots.hpp"

namespace aliquot {
namespace {

std::vector<Inflation> runs_of(const OpenbStudy& study, const std::string& policy) {
  std::vector<Inflation> runs;
  std::ranges::copy_if(study.runs, std::back_inserter(runs),
                       [&](const Inflation& run) { return run.policy == policy; });
  return runs;
}

template <class Value>
Sample sample(const std::vector<Inflation>& runs, Value value) {
  std::vector<double> values;
  for (const Inflation& run : runs) values.push_back(value(run));
  return sample_of(values);
}

std::string percent(double share) { return fixed(100 * share, 2); }

LineSeries series(const OpenbStudy& study, const std::string& policy, std::size_t position) {
  LineSeries line{policy, style_of(policy, position), {}};
  const std::vector<Inflation> runs = runs_of(study, policy);
  for (std::size_t mark = 50; mark <= Inflation::kMarks; mark += mark < 80 ? 10 : mark < 90 ? 5 : 1) {
    const Sample free = sample(runs, [&](const Inflation& run) { return 100 * (1 - run.at[mark - 1]); });
    line.points.push_back({static_cast<double>(mark), {free.mean, free.least, free.most}});
  }
  return line;
}

Table runs_table(const OpenbStudy& study) {
  Table table;
  table.columns = {"policy", "order",  "tasks",  "refused", "allocated", "slice",
                   "cpu",    "memory", "usable", "us_mean", "us_max"};
  for (const Inflation& run : study.runs)
    table.rows.push_back({run.policy, std::to_string(run.seed), std::to_string(run.tasks),
                          std::to_string(run.refused), fixed(run.allocated, 6),
                          fixed(run.stranded.slice, 6), fixed(run.stranded.cpu, 6),
                          fixed(run.stranded.memory, 6), fixed(run.stranded.usable, 6),
                          fixed(run.decision_us_mean, 1), fixed(run.decision_us_max, 1)});
  return table;
}

std::string page_of(const OpenbStudy& study) {
  Page page(
      "GPUs that stay free",
      "Tasks of a production GPU cluster, one after the other in random order, until as many GPUs have "
      "been asked for as there are. What is left free, and why.");
  LinePlot plot;
  plot.title = "GPUs free, in per cent, over the GPUs asked for, in per cent of the cluster's";
  plot.x_name = "GPUs asked for, %";
  plot.y_name = "GPUs free, %";
  for (std::size_t i = 0; i < study.policies.size(); ++i)
    plot.series.push_back(series(study, study.policies[i], i));
  page.section("While the cluster fills");
  page.wide_figure({"The bars are the least and the most over the orders.", draw(plot)},
                   legend_html(legend_of(plot)));
  page.section("At the end");
  page.table(openb_table(study));
  page.provenance(
      {{"program", std::string("aliquot-sim ") + kVersion + " (" + kCommit + ")"},
       {"nodes", study.nodes_path + ": " + std::to_string(study.nodes)},
       {"GPUs", fixed(study.devices, 0)},
       {"tasks", study.tasks_path + ": " + std::to_string(study.tasks)},
       {"orders", std::to_string(study.runs.size() / std::max<std::size_t>(study.policies.size(), 1))},
       {"source", "Weng et al., Beware of Fragmentation, USENIX ATC 2023; the trace is Alibaba's"}});
  return std::move(page).finish();
}

}  // namespace

Result<OpenbStudy> openb_study(const OpenbOptions& options) {
  const auto cluster = read_openb_nodes(options.nodes_path);
  if (!cluster) return tl::unexpected(cluster.error());
  const auto tasks = read_openb_tasks(options.tasks_path, *cluster);
  if (!tasks) return tl::unexpected(tasks.error());
  OpenbStudy study{options.nodes_path,
                   options.tasks_path,
                   cluster->nodes.size(),
                   tasks->size(),
                   static_cast<double>(cluster->parts()) / kWholeDevice,
                   options.policies,
                   {}};
  CampaignProgress progress(study.policies.size() * options.orders, 0);
  for (const std::string& policy : study.policies) {
    for (std::uint64_t k = 0; k < options.orders; ++k) {
      auto run = inflate(*cluster, *tasks, policy, options.first_seed + k);
      if (!run) return fail(run.error().kind, policy + ": " + run.error().message);
      study.runs.push_back(std::move(*run));
      progress.done();
    }
  }
  progress.finish();
  return study;
}

Table openb_table(const OpenbStudy& study) {
  Table table;
  table.title = "GPUs in use when as many had been asked for as there are, in % of all";
  table.columns = {"policy", "in use", "+-",     "least", "most",    "refused",
                   "slice",  "CPU",    "memory", "free",  "us/task", "longest us"};
  for (const std::string& policy : study.policies) {
    const std::vector<Inflation> runs = runs_of(study, policy);
    const auto mean = [&](auto value) { return sample(runs, value).mean; };
    const Sample used = sample(runs, [](const Inflation& run) { return run.allocated; });
    table.rows.push_back(
        {policy, percent(used.mean), percent(used.half_width), percent(used.least), percent(used.most),
         fixed(mean([](const Inflation& run) { return static_cast<double>(run.refused); }), 0),
         percent(mean([](const Inflation& run) { return run.stranded.slice; })),
         percent(mean([](const Inflation& run) { return run.stranded.cpu; })),
         percent(mean([](const Inflation& run) { return run.stranded.memory; })),
         percent(mean([](const Inflation& run) { return run.stranded.usable; })),
         fixed(mean([](const Inflation& run) { return run.decision_us_mean; }), 0),
         fixed(sample(runs, [](const Inflation& run) { return run.decision_us_max; }).most, 0)});
  }
  table.note =
      "+-: half the 95 % interval of the mean over the orders. refused: tasks. slice, CPU, memory, free: "
      "why "
      "the rest is not in use, as the tasks of the workload that want a GPU see it, on average: less of it "
      "is "
      "free than they ask for, the node's CPU or memory is used up, or they could have it.";
  return table;
}

std::vector<OutputFile> openb_files(const OpenbStudy& study) {
  return {{"runs.csv", as_csv(runs_table(study))},
          {"table.md", as_markdown(openb_table(study))},
          {"report.html", page_of(study)}};
}

}  // namespace aliquot
