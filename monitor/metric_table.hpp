// The table of all metrics: a new metric is one row here and one line where it is counted.
//
// Names follow https://prometheus.io/docs/practices/naming: one unit and one quantity each, base units,
// meaningful sums over all labels. Labels have few values: never a job or a path, and at most 256 of the
// accounts, whose names users choose (labelled_series.hpp). docs/metrics.md is generated from this table.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot {

enum class Metric : std::size_t {
  build_info,
  jobs,
  jobs_submitted,
  jobs_finished,
  pending_jobs,
  longest_wait,
  yield_min,
  yield_bound,
  yield_avg,
  stretch_so_far_max,
  job_stretch,
  job_run_time_error,
  account_jobs,
  account_cpu_declared,
  account_cpu_needed,
  account_cpu_promised,
  account_cpu_granted,
  account_fairness,
  account_cpu_promised_time,
  account_cpu_allowed,
  account_cpu,
  account_cpu_delay,
  account_cpu_throttled,
  account_energy,
  account_memory_lent,
  account_memory_told,
  account_memory_used,
  account_entitled,
  account_used_of_entitled,
  account_weight,
  account_limited_jobs,
  node_up,
  node_state,
  node_power,
  node_energy,
  node_service,
  node_other_cluster,
  node_messages_refused,
  node_epochs_refused,
  node_other_vms,
  node_other_memory,
  node_other_cpu,
  node_orphan_vms,
  node_vms,
  node_cpu_allocated,
  node_cpu_granted,
  node_cpu_capacity,
  node_memory_allocated,
  node_memory_lent,
  node_memory_capacity,
  node_memory_told,
  node_memory_used,
  vm_cpu_allowed,
  vm_cpu,
  vm_cpu_delay,
  vm_cpu_throttled,
  vm_cpu_busy,
  vm_cpu_busy_allowed,
  node_calls,
  node_call_time,
  node_call_failures,
  reschedule_duration,
  reschedule_passes,
  reschedule_period,
  reschedule_last_success,
  plan_actions,
  action_duration,
  migration_downtime,
  checkpoint_pause,
  job_skew,
  checkpoint_restores,
  plan_given,
  plan_taken,
  plan_gain,
  failing_jobs,
  oscillations,
  foreign_changes,
  maintenance_next_start,
  maintenance_nodes,
  moves_waiting,
  store_commit,
  store_size,
  spool_free,
  spool_reserve,
  spool_ended,
  images,
  image_bytes,
  store_blocked,
  clock_offset,
  mode,
  rpc_requests,
  rpc_duration,
  rpc_dropped,
  rpc_origin,
  rpc_refused,
  audit_lost,
  libvirt_duration,
  libvirt_failures,
  epoch,
  last_reload_successful,
  state_violations,
  count_,
};

enum class MetricType { counter, gauge, histogram };

struct MetricRow {
  Metric metric;
  MetricType type;
  const char* name;
  const char* unit;             // of the value; "" for counts and flags
  const char* labels;           // their names, in the order of the alphabet: "node,state"
  std::vector<double> buckets;  // of a histogram: upper bounds
  std::size_t max_series;       // beyond it every new combination of labels is counted as "other"
  const char* help;
};

// In the order of Metric.
[[nodiscard]] std::span<const MetricRow> metric_table();

struct LabelRow {
  std::string_view name;
  std::string_view values;
};

// Every label of the table, and what its values are.
[[nodiscard]] std::span<const LabelRow> metric_labels();

// docs/metrics.md, generated from the table (metric_page.cpp). Pure.
[[nodiscard]] std::string metric_page();

}  // namespace aliquot
