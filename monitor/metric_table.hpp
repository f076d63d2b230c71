// The one table of what is measured: a new metric is one row here and one line where it is counted.
//
// Names follow https://prometheus.io/docs/practices/naming: one unit and one quantity each, base units,
// sums over all labels make sense. Labels have few values: never a job, a user or a path.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace aliquot {

enum class Metric : std::size_t {
  build_info,
  jobs,
  jobs_submitted,
  jobs_finished,
  pending_jobs,
  yield_min,
  yield_avg,
  job_stretch,
  node_up,
  node_cpu_allocated,
  node_cpu_capacity,
  node_memory_allocated,
  node_memory_capacity,
  vm_cpu,
  vm_cpu_delay,
  vm_cpu_throttled,
  reschedule_duration,
  reschedule_passes,
  reschedule_period,
  reschedule_last_success,
  plan_actions,
  action_duration,
  failing_jobs,
  mode,
  rpc_requests,
  epoch,
  last_reload_successful,
  count_,
};

enum class MetricType { counter, gauge, histogram };

struct MetricRow {
  Metric metric;
  MetricType type;
  const char* name;
  const char* unit;             // of the value; "" for counts and flags
  std::vector<double> buckets;  // of a histogram: upper bounds
  std::size_t max_series;       // beyond it every new combination of labels is counted as "other"
  const char* help;
};

// In the order of Metric.
[[nodiscard]] std::span<const MetricRow> metric_table();

}  // namespace aliquot
