#include "monitor/metric_table.hpp"

namespace aliquot {
namespace {

using enum MetricType;

constexpr std::size_t kFew = 64;         // labels from closed lists, and policy names
constexpr std::size_t kNodes = 10'000;   // one series per node: the limit of the configuration
constexpr std::size_t kAccounts = 257;   // the accounts with series of their own, and "other"
constexpr std::size_t kMethods = 1'024;  // methods times codes
constexpr std::size_t kCalls = 256;      // kinds of calls times kinds of errors

const std::vector<double> kDecision{1e-5, 1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1, 5, 30};
const std::vector<double> kAction{0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300};
const std::vector<double> kCommit{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5};
const std::vector<double> kCall{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30};
const std::vector<double> kDowntime{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
const std::vector<double> kRunTime{0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4, 10};
const std::vector<double> kStretch{1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000};

// Dense around 0.5, where one job's gain is another job's loss.
const std::vector<double> kGain{0, 0.1, 0.25, 0.4, 0.45, 0.5, 0.55, 0.6, 0.75, 0.9, 0.99, 1};

// One row for each metric.
// clang-format off
const std::vector<MetricRow> kRows{
    {Metric::build_info, gauge, "aliquot_build_info", "", "libvirt,revision,version", {}, kFew,
     "Version and build of the running manager; always 1."},
    {Metric::jobs, gauge, "aliquot_jobs", "", "state", {}, kFew,
     "Jobs that have not ended, by state."},
    {Metric::jobs_submitted, counter, "aliquot_jobs_submitted_total", "", "", {}, kFew,
     "Jobs submitted."},
    {Metric::jobs_finished, counter, "aliquot_jobs_finished_total", "", "result", {}, kFew,
     "Jobs ended, by result."},
    {Metric::pending_jobs, gauge, "aliquot_pending_jobs", "", "reason", {}, kFew,
     "Jobs that do not run, by reason; unexplained: not looked up yet. Of many jobs only some are "
     "looked up each second."},
    {Metric::longest_wait, gauge, "aliquot_job_longest_wait_seconds", "seconds", "", {}, kFew,
     "Longest time for which a job that is not held has now been waiting or paused."},
    {Metric::yield_min, gauge, "aliquot_job_yield_min_ratio", "ratio", "", {}, kFew,
     "Smallest yield (CPU given / CPU needed) of the jobs that run; 1 if none runs."},
    {Metric::yield_bound, gauge, "aliquot_job_yield_bound_ratio", "ratio", "", {}, kFew,
     "Upper bound on the smallest yield of the placed jobs, over all placements; 1 if none is placed."},
    {Metric::yield_avg, gauge, "aliquot_job_yield_avg_ratio", "ratio", "", {}, kFew,
     "Mean yield (CPU given / CPU needed) of the jobs that run; 1 if none runs."},
    {Metric::stretch_so_far_max, gauge, "aliquot_job_stretch_so_far_max_ratio", "ratio", "", {}, kFew,
     "Largest bounded stretch so far of the jobs that have not ended and are not held back; 1 if there is "
     "none."},
    {Metric::job_stretch, histogram, "aliquot_job_stretch_ratio", "ratio", "size_class", kStretch, kFew,
     "Bounded stretch of ended jobs: max(1, turnaround / max(30 s, virtual time))."},
    {Metric::job_run_time_error, histogram, "aliquot_job_run_time_error_ratio", "ratio", "source",
     kRunTime, kFew,
     "Virtual time of completed jobs / what was expected of it at their submission: learned from earlier "
     "runs, or said by the user (estimate, or else time limit). 1: as expected."},
    {Metric::account_jobs, gauge, "aliquot_account_jobs", "", "account,state", {}, 2 * kAccounts,
     "Jobs of the account that have not ended: running, or pending (waiting, paused, held)."},
    {Metric::account_cpu_declared, gauge, "aliquot_account_cpu_declared_cores",
     "cores", "account", {}, kAccounts,
     "What users have declared of aliquot_account_cpu_needed_cores; more or less where needs are learned."},
    {Metric::account_cpu_needed, gauge, "aliquot_account_cpu_needed_cores",
     "cores", "account", {}, kAccounts,
     "CPU that the account's jobs need at full speed, including jobs that wait, without held jobs."},
    {Metric::account_cpu_promised, gauge, "aliquot_account_cpu_promised_cores",
     "cores", "account", {}, kAccounts,
     "CPU that the plan in force gives to the account's jobs."},
    {Metric::account_cpu_granted, gauge, "aliquot_account_cpu_granted_cores",
     "cores", "account", {}, kAccounts,
     "CPU that the caps of the account's running VMs allow, as the hypervisors acknowledged them."},
    {Metric::account_fairness, gauge, "aliquot_account_fairness_ratio", "ratio", "account", {}, kAccounts,
     "(Promised / needed CPU of the account) / (promised / needed CPU of all accounts); 1: a fair share."},
    {Metric::account_cpu_promised_time, counter, "aliquot_account_cpu_promised_seconds_total",
     "seconds", "account", {}, kAccounts,
     "CPU time that plans in force have promised to the account's jobs, in seconds of reference cores."},
    {Metric::account_cpu_allowed, counter, "aliquot_account_cpu_granted_seconds_total",
     "seconds", "account", {}, kAccounts,
     "CPU time that the caps of the account's running VMs have allowed."},
    {Metric::account_cpu, counter, "aliquot_account_cpu_seconds_total", "seconds", "account", {}, kAccounts,
     "CPU time used by the virtual CPUs, summed over the VMs of the account."},
    {Metric::account_cpu_delay, counter, "aliquot_account_cpu_delay_seconds_total",
     "seconds", "account", {}, kAccounts,
     "Time in which virtual CPUs were ready but did not run, without throttled time (stolen), summed over "
     "the account's VMs; without nodes on which it is unknown."},
    {Metric::account_cpu_throttled, counter, "aliquot_account_cpu_throttled_seconds_total",
     "seconds", "account", {}, kAccounts,
     "Time in which caps held virtual CPUs back, summed over the account's VMs; without nodes on which it "
     "is unknown."},
    {Metric::account_energy, counter, "aliquot_account_energy_joules_total", "joules", "account", {},
     kAccounts,
     "Energy that the account's jobs are charged since the manager was started: of what each of their "
     "nodes draws, measured or at full utilisation by the settings, the part that the plan in force gives "
     "them of its CPU."},
    {Metric::account_memory_lent, gauge, "aliquot_account_memory_lent_bytes",
     "bytes", "account", {}, kAccounts,
     "Declared for the account's placed tasks beyond what they are counted with: others may hold it."},
    {Metric::account_memory_told, gauge, "aliquot_account_memory_told_bytes",
     "bytes", "account", {}, kAccounts,
     "Memory of the account's running VMs whose guests tell what they use of it; no series if none tells."},
    {Metric::account_memory_used, gauge, "aliquot_account_memory_used_bytes",
     "bytes", "account", {}, kAccounts,
     "What these guests use of it, their kernels included."},
    {Metric::account_entitled, gauge, "aliquot_account_entitled_ratio", "ratio", "account", {}, kAccounts,
     "Part of the cluster that the account's users are entitled to, of those that are active; told, as the "
     "next three are, only where accounts or fair share are set."},
    {Metric::account_used_of_entitled, gauge, "aliquot_account_used_of_entitled_ratio",
     "ratio", "account", {}, kAccounts,
     "(Decayed use of the account / decayed use of all) / what it is entitled to; 1: its part is used."},
    {Metric::account_weight, gauge, "aliquot_account_weight_ratio", "ratio", "account", {}, kAccounts,
     "The smallest weight of the account's jobs; 1: its users have had few more jobs than others and have "
     "not used much more than their parts."},
    {Metric::account_limited_jobs, gauge, "aliquot_account_limited_jobs", "", "account", {}, kAccounts,
     "Jobs of the account that wait for a limit of it, or of an account above it."},
    {Metric::node_up, gauge, "aliquot_node_up", "", "node", {}, kNodes,
     "1: the node accepts jobs; 0: it does not answer, is draining, or was removed."},
    {Metric::node_state, gauge, "aliquot_node_state", "", "node,state", {}, 4 * kNodes,
     "1 for what is known of the node, 0 for the others."},
    {Metric::node_power, gauge, "aliquot_node_power_state", "", "node,power", {}, 4 * kNodes,
     "1 for the power of the node, 0 for the others; a node that is not on holds no VM (docs/power.md)."},
    {Metric::node_energy, counter, "aliquot_node_energy_joules_total", "joules", "node", {}, kNodes,
     "Energy that the node has drawn since the manager was started, as power.meter_command measures it, or "
     "by power.idle_watts and its companions and the CPU that the plan in force gives."},
    {Metric::node_service, gauge, "aliquot_node_service", "", "node,service", {}, 3 * kNodes,
     "1 for what operators want of the node, 0 for the others."},
    {Metric::node_other_cluster, gauge, "aliquot_node_other_cluster", "", "node", {}, kNodes,
     "1: VMs of another cluster run on the node, and this one does not use it."},
    {Metric::node_messages_refused, counter, "aliquot_node_messages_refused_total", "", "node", {}, kNodes,
     "Messages of the node's agent that were not understood: another release, or a fault."},
    {Metric::node_epochs_refused, counter, "aliquot_node_epochs_refused_total", "", "node", {}, kNodes,
     "Sessions and commands that the node's agent refused to managers whose epoch is over. It rises as "
     "long as one of them tries."},
    {Metric::node_other_vms, gauge, "aliquot_node_other_vms", "", "node", {}, kNodes,
     "VMs on the node that belong to no job of this cluster."},
    {Metric::node_other_memory, gauge, "aliquot_node_other_memory_bytes", "bytes", "node", {}, kNodes,
     "Memory of these VMs by their definitions; it is given to no job."},
    {Metric::node_other_cpu, gauge, "aliquot_node_other_cpu_cores", "cores", "node", {}, kNodes,
     "CPU that these VMs may use by their limits, in reference cores; it is given to no job."},
    {Metric::node_orphan_vms, gauge, "aliquot_node_orphan_vms", "", "node", {}, kNodes,
     "VMs of this cluster on the node of which no job knows: see `aliquot node orphans`."},
    {Metric::node_vms, gauge, "aliquot_node_vms", "", "node", {}, kNodes,
     "VMs that run on the node."},
    {Metric::node_cpu_allocated, gauge, "aliquot_node_cpu_allocated_ratio", "ratio", "node", {}, kNodes,
     "CPU given to jobs / CPU of the node, by the plan in force."},
    {Metric::node_cpu_granted, gauge, "aliquot_node_cpu_granted_cores", "cores", "node", {}, kNodes,
     "CPU that the caps of the node's running VMs allow, as the node acknowledged them."},
    {Metric::node_cpu_capacity, gauge, "aliquot_node_cpu_capacity_cores", "cores", "node", {}, kNodes,
     "CPU of the node in reference cores."},
    {Metric::node_memory_allocated, gauge, "aliquot_node_memory_allocated_bytes",
     "bytes", "node", {}, kNodes,
     "Memory held by jobs, by the plan in force."},
    {Metric::node_memory_lent, gauge, "aliquot_node_memory_lent_bytes", "bytes", "node", {}, kNodes,
     "Declared for the node's tasks beyond what they are counted with: what they may take back at once."},
    {Metric::node_memory_capacity, gauge, "aliquot_node_memory_capacity_bytes", "bytes", "node", {}, kNodes,
     "Memory of the node available to jobs, without the reserve of the host."},
    {Metric::node_memory_told, gauge, "aliquot_node_memory_told_bytes", "bytes", "node", {}, kNodes,
     "Memory of the node's running VMs whose guests tell what they use of it; no series if none tells."},
    {Metric::node_memory_used, gauge, "aliquot_node_memory_used_bytes", "bytes", "node", {}, kNodes,
     "What these guests use of it, their kernels included."},
    {Metric::vm_cpu_allowed, counter, "aliquot_vm_cpu_granted_seconds_total", "seconds", "node", {}, kNodes,
     "CPU time that the caps of the node's running VMs have allowed, in seconds of its own cores."},
    {Metric::vm_cpu, counter, "aliquot_vm_cpu_seconds_total", "seconds", "node", {}, kNodes,
     "CPU time used by the virtual CPUs, summed over the VMs of the node."},
    {Metric::vm_cpu_delay, counter, "aliquot_vm_cpu_delay_seconds_total", "seconds", "node", {}, kNodes,
     "Time in which virtual CPUs were ready but did not run, without throttled time (stolen), summed over "
     "the VMs of the node; no series if it is unknown."},
    {Metric::vm_cpu_throttled, counter, "aliquot_vm_cpu_throttled_seconds_total",
     "seconds", "node", {}, kNodes,
     "Time in which caps held virtual CPUs back, summed over the VMs of the node; no series unless the "
     "node is the manager's own machine."},
    {Metric::vm_cpu_busy, counter, "aliquot_vm_cpu_busy_seconds_total", "seconds", "node", {}, kNodes,
     "CPU time used by virtual CPUs in intervals between two readings in which they were never idle."},
    {Metric::vm_cpu_busy_allowed, counter, "aliquot_vm_cpu_busy_granted_seconds_total",
     "seconds", "node", {}, kNodes,
     "CPU time that the caps of these VMs allowed in the same intervals; used / granted: cap accuracy."},
    {Metric::node_calls, counter, "aliquot_node_calls_total", "", "node", {}, kNodes,
     "libvirt calls on the node that returned or missed their deadline."},
    {Metric::node_call_time, counter, "aliquot_node_call_seconds_total", "seconds", "node", {}, kNodes,
     "Time that libvirt calls on the node took, at most until their deadlines."},
    {Metric::node_call_failures, counter, "aliquot_node_call_failures_total", "", "node", {}, kNodes,
     "libvirt calls on the node that failed or missed their deadline."},
    {Metric::reschedule_duration, histogram, "aliquot_reschedule_duration_seconds",
     "seconds", "policy,trigger",
     kDecision, kFew,
     "Time of a decision, by policy and by trigger."},
    {Metric::reschedule_passes, counter, "aliquot_reschedule_passes_total", "", "policy,result", {}, kFew,
     "Decisions, by policy and by result."},
    {Metric::reschedule_period, gauge, "aliquot_reschedule_period_seconds", "seconds", "policy", {}, kFew,
     "Period of the policy in force."},
    {Metric::reschedule_last_success, gauge, "aliquot_reschedule_last_success_timestamp_seconds", "seconds",
     "policy", {}, kFew,
     "Unix time of the last lawful plan of the policy in force."},
    {Metric::plan_actions, counter, "aliquot_plan_actions_total", "", "action,result", {}, kFew,
     "Completed actions on virtual machines, by action and result; one per VM."},
    {Metric::action_duration, histogram, "aliquot_action_duration_seconds",
     "seconds", "action", kAction, kFew,
     "Time of an action on virtual machines."},
    {Metric::migration_downtime, histogram, "aliquot_migration_downtime_seconds",
     "seconds", "", kDowntime, kFew,
     "Downtime of guests in successful migrations, as libvirt reports it."},
    {Metric::checkpoint_pause, histogram, "aliquot_checkpoint_pause_seconds",
     "seconds", "", kAction, kFew,
     "Time for which the VMs of a job stood still for a checkpoint that succeeded."},
    {Metric::job_skew, histogram, "aliquot_job_skew_seconds", "seconds", "action", kAction, kFew,
     "Time from the first to the last VM of a job that was suspended, or released, with the others."},
    {Metric::checkpoint_restores, counter, "aliquot_checkpoint_restores_total", "", "", {}, kFew,
     "Restores of VMs from a checkpoint that were begun, after their job had lost VMs."},
    {Metric::plan_given, counter, "aliquot_plan_given_cores_total", "cores", "policy", {}, kFew,
     "Sum of the increases of jobs' CPU shares by decisions that were carried out."},
    {Metric::plan_taken, counter, "aliquot_plan_taken_cores_total", "cores", "policy", {}, kFew,
     "Sum of the decreases of jobs' CPU shares by decisions that were carried out."},
    {Metric::plan_gain, histogram, "aliquot_plan_gain_ratio", "ratio", "policy", kGain, kFew,
     "CPU given / (CPU given + CPU taken) of a decision that changed shares; 1: no job lost CPU, 0.5: "
     "gains equal losses, 0: no job gained CPU."},
    {Metric::failing_jobs, gauge, "aliquot_failing_jobs", "", "action", {}, kFew,
     "Jobs for which this action has failed at least three times in a row; it is retried."},
    {Metric::oscillations, counter, "aliquot_oscillations_total", "", "kind", {}, kFew,
     "Decisions that undid one of the last hour: a VM moved back to a node that it had left, or a job "
     "paused again."},
    {Metric::foreign_changes, counter, "aliquot_foreign_changes_total", "", "change", {}, kFew,
     "What other programs did to VMs of jobs: moved, paused or destroyed them, changed their caps."},
    {Metric::maintenance_next_start, gauge, "aliquot_maintenance_next_start_timestamp_seconds",
     "seconds", "", {}, kFew,
     "When the next maintenance window starts, as Unix time; 0: none is planned."},
    {Metric::maintenance_nodes, gauge, "aliquot_maintenance_nodes", "", "", {}, kFew,
     "Nodes that are to be empty now, for a maintenance window that has started."},
    {Metric::moves_waiting, gauge, "aliquot_moves_waiting", "", "cause", {}, kFew,
     "VMs that stay where they are for now: to be moved while as many are under way as may be at a time "
     "(budget, moves.at_a_time), or of a job that has been moved lately (cool_down, moves.cool_down)."},
    {Metric::store_commit, histogram, "aliquot_store_commit_duration_seconds", "seconds", "", kCommit, kFew,
     "Time from passing a step to the store until it is on disk; actions and replies wait for it."},
    {Metric::store_size, gauge, "aliquot_store_size_bytes", "bytes", "", {}, kFew,
     "Size of the store's files."},
    {Metric::spool_free, gauge, "aliquot_spool_free_bytes", "bytes", "", {}, kFew,
     "Free space of the spool's file system, looked at once a minute."},
    {Metric::spool_reserve, gauge, "aliquot_spool_reserve_bytes", "bytes", "", {}, kFew,
     "Free space of the spool that memory images and submitted files may not use."},
    {Metric::spool_ended, gauge, "aliquot_spool_ended_jobs_bytes", "bytes", "", {}, kFew,
     "What the spool keeps of jobs that have ended."},
    {Metric::images, gauge, "aliquot_images", "", "", {}, kFew, "Disk images of the image store, by name."},
    {Metric::image_bytes, gauge, "aliquot_image_bytes", "bytes", "", {}, kFew,
     "Size of the image store's contents, each counted once."},
    {Metric::store_blocked, gauge, "aliquot_store_blocked", "", "", {}, kFew,
     "1: the disk of the store is full; nothing is stored, started or acknowledged until it has room."},
    {Metric::clock_offset, gauge, "aliquot_clock_offset_seconds", "seconds", "", {}, kFew,
     "Wall clock minus the manager's monotonic clock: changes when the wall clock is set."},
    {Metric::mode, gauge, "aliquot_mode", "", "mode", {}, kFew,
     "1 for the manager's mode, 0 for the others."},
    {Metric::rpc_requests, counter, "aliquot_rpc_requests_total", "", "code,method", {}, kMethods,
     "Answered requests of the job API, by method and code."},
    {Metric::rpc_duration, histogram, "aliquot_rpc_request_duration_seconds",
     "seconds", "method", kCall, kMethods / 16,
     "Time from reading a request of the job API to its answer, including waits for the disk or a node."},
    {Metric::rpc_dropped, counter, "aliquot_rpc_replies_dropped_total", "", "cause", {}, kFew,
     "Replies of the job API that could not be delivered."},
    {Metric::rpc_origin, counter, "aliquot_rpc_origin_total", "", "origin", {}, kFew,
     "Answered requests of the job API, by where their clients are: local or remote."},
    {Metric::rpc_refused, counter, "aliquot_rpc_remote_refused_total", "", "cause", {}, kFew,
     "What remote clients were refused: handshakes without a key in force (key), and requests beyond the "
     "rate of their key (rate)."},
    {Metric::audit_lost, counter, "aliquot_audit_lost_total", "", "", {}, kFew,
     "Records of the audit log that found no place, because the disk did not take those before them."},
    {Metric::libvirt_duration, histogram, "aliquot_libvirt_call_duration_seconds",
     "seconds", "call", kAction, kFew,
     "Time of a libvirt call for an action on one VM or a query of a node, at most until its deadline."},
    {Metric::libvirt_failures, counter, "aliquot_libvirt_call_failures_total", "", "call,error", {}, kCalls,
     "Failed libvirt calls, by call and error; timeout: the deadline was missed."},
    {Metric::epoch, gauge, "aliquot_epoch", "", "", {}, kFew,
     "Number of starts of the manager on this store."},
    {Metric::last_reload_successful, gauge, "aliquot_config_last_reload_successful", "", "", {}, kFew,
     "1: the configuration in force is that of the file; 0: the last reload was refused."},
    {Metric::state_violations, gauge, "aliquot_state_violations", "", "", {}, kFew,
     "Violations of the laws of a plan that the last check of the whole state found; always 0 unless the "
     "manager has a fault."},
};

const std::vector<LabelRow> kLabels{
    {"account", "name of the account; at most 256 at once, `other` for further accounts, `(none)` for jobs "
                "without an account; removed ten minutes after the account's last job"},
    {"action", "destroy, abort, save, suspend, cap, migrate, create, restore, release, checkpoint, notify"},
    {"call", "an action (see `action`) or a query: statistics, inspect, look, facts, probe, list, ping; "
             "suspend_node"},
    {"cause",
     "gone: the client had left; slow: it did not read its replies; key: it has no key in force; rate: it "
     "asks too often; of moves: budget, cool_down"},
    {"change", "moved_away, moved_here, saved, paused, resumed, started, destroyed, "
               "stopped (by an I/O error), cap_changed"},
    {"code", "ok, or the name of the error"},
    {"endpoint", "address of a member of etcd, of `ha.endpoints`"},
    {"error", "the name of the error (docs/protocol.md)"},
    {"kind", "moved_back, paused_again"},
    {"libvirt", "version of the library"},
    {"method", "of the job API (docs/protocol.md)"},
    {"mode", "off, advise, auto"},
    {"node", "name in the configuration; removed when the configuration no longer names the node"},
    {"origin", "local: on the manager's machine; remote: on another one, with a key (docs/remote.md)"},
    {"policy", "its canonical name (docs/policies.md)"},
    {"power", "of a node: on, going_off, off, waking"},
    {"reason", "reason for which a job does not run, from the closed list in GLOSSARY.md; unexplained"},
    {"result", "of a job: completed, failed, cancelled, timed_out; of a decision: applied, "
              "no_change, advised, "
               "rejected; of an action: ok, failed, timeout"},
    {"revision", "commit of the build"},
    {"service", "of a node: in_service, draining, removed"},
    {"size_class", "number of tasks of the job; one: 1, small: 2 to 8, medium: 9 to 32, large: more"},
    {"source", "of what was expected of a job's run time: learned (from earlier runs), user"},
    {"state", "of jobs: waiting, held, in_flight, running, paused, unreachable; of an account's jobs: "
              "running, pending; of a node: up, suspect, down, fenced"},
    {"trigger", "operator, event, timer"},
    {"version", "of aliquotd"},
};
// clang-format on

}  // namespace

std::span<const MetricRow> metric_table() { return kRows; }

std::span<const LabelRow> metric_labels() { return kLabels; }

}  // namespace aliquot
