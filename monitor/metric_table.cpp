#include "monitor/metric_table.hpp"

namespace aliquot {
namespace {

using enum MetricType;

constexpr std::size_t kFew = 64;         // labels from closed lists, and policy names
constexpr std::size_t kNodes = 10'000;   // one series per node: as many as the configuration takes
constexpr std::size_t kMethods = 1'024;  // methods times codes

const std::vector<double> kDecision{1e-5, 1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1, 5, 30};
const std::vector<double> kAction{0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300};
const std::vector<double> kStretch{1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000};

// A row is a metric.
// clang-format off
const std::vector<MetricRow> kRows{
    {Metric::build_info, gauge, "aliquot_build_info", "", {}, kFew,
     "What is running; always 1."},
    {Metric::jobs, gauge, "aliquot_jobs", "", {}, kFew,
     "Jobs that have not ended, by what they are doing."},
    {Metric::jobs_submitted, counter, "aliquot_jobs_submitted_total", "", {}, kFew,
     "Jobs submitted."},
    {Metric::jobs_finished, counter, "aliquot_jobs_finished_total", "", {}, kFew,
     "Jobs ended, by result."},
    {Metric::pending_jobs, gauge, "aliquot_pending_jobs", "", {}, kFew,
     "Jobs that do not run, by why; unexplained: more of them than are asked about at once."},
    {Metric::yield_min, gauge, "aliquot_job_yield_min_ratio", "ratio", {}, kFew,
     "Smallest yield (CPU given / CPU needed) of the jobs that run; 1 if none runs."},
    {Metric::yield_avg, gauge, "aliquot_job_yield_avg_ratio", "ratio", {}, kFew,
     "Mean yield (CPU given / CPU needed) of the jobs that run; 1 if none runs."},
    {Metric::job_stretch, histogram, "aliquot_job_stretch_ratio", "ratio", kStretch, kFew,
     "Bounded stretch of ended jobs: max(1, turnaround / max(30 s, virtual time))."},
    {Metric::node_up, gauge, "aliquot_node_up", "", {}, kNodes,
     "1: the node takes jobs; 0: draining, suspect or down."},
    {Metric::node_cpu_allocated, gauge, "aliquot_node_cpu_allocated_ratio", "ratio", {}, kNodes,
     "CPU given to jobs / CPU of the node, by the plan in force."},
    {Metric::node_cpu_capacity, gauge, "aliquot_node_cpu_capacity_cores", "cores", {}, kNodes,
     "CPU of the node in reference cores."},
    {Metric::node_memory_allocated, gauge, "aliquot_node_memory_allocated_bytes", "bytes", {}, kNodes,
     "Memory held by jobs, by the plan in force."},
    {Metric::node_memory_capacity, gauge, "aliquot_node_memory_capacity_bytes", "bytes", {}, kNodes,
     "Memory of the node that jobs may have: the host's reserve is taken off."},
    {Metric::vm_cpu, counter, "aliquot_vm_cpu_seconds_total", "seconds", {}, kNodes,
     "CPU time used by the virtual CPUs, summed over the VMs of the node."},
    {Metric::vm_cpu_delay, counter, "aliquot_vm_cpu_delay_seconds_total", "seconds", {}, kNodes,
     "Time virtual CPUs were ready but did not run (steal), summed over the VMs of the node."},
    {Metric::vm_cpu_throttled, counter, "aliquot_vm_cpu_throttled_seconds_total", "seconds", {}, kNodes,
     "Time virtual CPUs were held back by their cap, summed over the VMs of the node."},
    {Metric::reschedule_duration, histogram, "aliquot_reschedule_duration_seconds",
     "seconds", kDecision, kFew,
     "Time a decision took, by policy and by what it was taken for."},
    {Metric::reschedule_passes, counter, "aliquot_reschedule_passes_total", "", {}, kFew,
     "Decisions taken, by policy and by what became of them."},
    {Metric::reschedule_period, gauge, "aliquot_reschedule_period_seconds", "seconds", {}, kFew,
     "Period of the policy in force."},
    {Metric::reschedule_last_success, gauge, "aliquot_reschedule_last_success_timestamp_seconds",
     "seconds", {}, kFew,
     "When the policy in force last gave a lawful plan (Unix time)."},
    {Metric::plan_actions, counter, "aliquot_plan_actions_total", "", {}, kFew,
     "Actions on virtual machines that came to an end, by action and result; one per VM."},
    {Metric::action_duration, histogram, "aliquot_action_duration_seconds", "seconds", kAction, kFew,
     "Time an action on virtual machines took."},
    {Metric::failing_jobs, gauge, "aliquot_failing_jobs", "", {}, kFew,
     "Jobs of which this action has failed three times in a row or more; it is tried on."},
    {Metric::mode, gauge, "aliquot_mode", "", {}, kFew,
     "1 for the manager's mode, 0 for the others."},
    {Metric::rpc_requests, counter, "aliquot_rpc_requests_total", "", {}, kMethods,
     "Requests of the job API answered, by method and code."},
    {Metric::epoch, gauge, "aliquot_epoch", "", {}, kFew,
     "How often the manager has started on this store."},
    {Metric::last_reload_successful, gauge, "aliquot_config_last_reload_successful", "", {}, kFew,
     "1: the configuration in force is the file's; 0: the last reload was refused."},
};
// clang-format on

}  // namespace

std::span<const MetricRow> metric_table() { return kRows; }

}  // namespace aliquot
