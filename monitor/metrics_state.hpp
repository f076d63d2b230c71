// What Metrics keeps between steps; its parts are in metrics.cpp (what a step brings) and metrics_view.cpp
// (what is read off the cluster).
#pragma once

#include <map>
#include <set>
#include <string>

#include "monitor/account_gauge_series.hpp"
#include "monitor/labelled_series.hpp"
#include "monitor/metric_families.hpp"
#include "monitor/metrics.hpp"
#include "monitor/metrics_wait_reasons.hpp"
#include "monitor/oscillations.hpp"
#include "monitor/yield_bound.hpp"

namespace aliquot {

struct Metrics::State {
  // Actions under way: what they are, and how many tasks are still to be heard of.
  struct Flight {
    ActionKind kind;
    std::uint32_t tasks = 0;
    bool failed = false;  // of some task
    Duration stall;       // the longest of a task
    bool of_several = false;
    std::optional<Instant> first_done;  // when the first task was heard of
  };

  explicit State(MetricsOptions given) : options(std::move(given)) {}

  void open_series();
  void count_event(const Event& event, Instant now);
  void count_action(const Action& action, Instant now);
  void count_outcome(const Outcome& outcome, Instant now);
  void count_whole(JobId job, const Flight& flight, Instant now);
  void count_streak(JobId job, const Flight& flight);
  void tell_failing(ActionKind kind);
  void count_decision(const Step& step);
  void count_gain(const Step& step, const ClusterView& after);
  void count_end(const JobOutcome& outcome);
  void count_run_time(const JobOutcome& outcome);
  void read_jobs(const ClusterView& view, Instant now);
  void read_shares(const ClusterView& view, Instant now);
  void read_bound(const ClusterView& view);
  void read_upkeep(Instant now);
  // A count that is kept elsewhere.
  void rise_to(Metric metric, const char* cause, std::uint64_t count) {
    auto& series = families.counter(metric, {{"cause", cause}});
    series.Increment(static_cast<double>(count) - series.Value());
  }
  [[nodiscard]] std::optional<std::string_view> account_of(JobId job) const {
    return options.account ? options.account(job) : std::string_view{};
  }

  MetricsOptions options;
  MetricFamilies families;
  AccountSeries accounts{families};
  AccountGaugeSeries account_gauges{families};
  NodeSeries nodes{families};
  WaitReasons wait_reasons;
  std::string policy;            // in force
  std::vector<VmMemory> memory;  // as the guests told it last
  PlacedTasks placed;            // when the bound on their yields was last worked out
  std::optional<Instant> refreshed;
  std::map<OpId, Flight> flights;
  // How often in a row an action of a job has failed; only of those that have not succeeded since.
  std::map<std::pair<JobId, ActionKind>, std::uint32_t> failed_in_a_row;
  Oscillations oscillations;
};

}  // namespace aliquot
