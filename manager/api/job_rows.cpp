#include "manager/api/job_rows.hpp"

#include <bit>
#include <nlohmann/json.hpp>

#include "manager/api/job_state.hpp"
#include "manager/api/submission_codec.hpp"
#include "monitor/codec_words.hpp"
#include "monitor/outcome.hpp"

namespace aliquot::wire {

using nlohmann::json;

namespace {

// What is the same however the job stands.
json submitted_part(JobId job, const Submission& s, JobState state) {
  return {{"job", job.raw},
          {"name", s.name},
          {"account", s.account},
          {"uid", s.uid},
          {"state", std::string(word(state))},
          {"tasks", s.demand.tasks},
          {"cpus", in_cores(s.demand.need)},
          {"max_cpus", in_cores(most_cpu(s))},
          {"memory_bytes", s.guest_memory.raw},
          {"min_yield", ratio(s.demand.min_yield)},
          {"time_limit_s", seconds_or_null(s.time_limit)},
          {"on_task_failure", std::string(word(s.on_task_failure))},
          {"asks", constraints_json(s.demand)}};
}

// Which slots of which node.
json devices_json(const ClusterView& view, const std::vector<DevicesHeld>& held) {
  json all = json::array();
  for (const DevicesHeld& each : held) {
    json slots = json::array();
    for (DeviceSet set = each.slots; set != 0; set &= set - 1) slots.push_back(std::countr_zero(set));
    all.push_back({{"node", node_name(view, each.node)}, {"slots", std::move(slots)}});
  }
  return all;
}

std::vector<DevicesHeld> held_by(const Job& job) {
  std::vector<DevicesHeld> held;
  for (std::size_t k = 0; k < job.devices.size() && k < job.placement.size(); ++k)
    held.push_back({job.placement[k].node, job.devices[k]});
  return held;
}

void name_model(const ClusterView& view, DeviceModel model, json& row) {
  if (model.raw < view.device_models.size()) row["asks"]["gpu_model"] = view.device_models[model.raw];
}

std::string_view vm_word(VmState state) {
  constexpr std::string_view words[] = {"absent", "ready", "running", "saved", "ended"};
  return words[static_cast<std::size_t>(state)];
}

}  // namespace

const Job* planned_or_leaving(const CoreState& state, JobId job) {
  if (const auto at = state.view.jobs.find(job); at != state.view.jobs.end()) return &at->second;
  const auto record = state.records.find(job);
  if (record == state.records.end() || !record->second.leaving) return nullptr;
  return &*record->second.leaving;
}

json job_row(const CoreState& state, const Job& job, const JobRecord& record, const AnswerClock& clock) {
  json row = submitted_part(job.id, record.submission, job_state(job, record));
  const Duration flow = clock.now - job.submitted;
  const VirtualTime served = job.progress.at(clock.now);
  row["tasks_left"] = job.demand.tasks;
  name_model(state.view, job.demand.devices.model, row);
  row["devices"] = devices_json(state.view, held_by(job));
  row["yield"] = job.phase == Phase::running ? json(ratio(job.yield)) : json();
  row["nodes"] = placement_json(state.view, job.placement);
  row["submitted_at"] = iso_time(job.submitted, clock);
  row["age_s"] = to_seconds(flow);
  row["started_at"] = iso_or_null(record.started, clock);
  row["wait_s"] = to_seconds((record.started ? *record.started : clock.now) - job.submitted);
  row["ended_at"] = nullptr;
  row["turnaround_s"] = nullptr;
  row["virtual_s"] = served.to_seconds();
  row["bounded_stretch"] = bounded_stretch_so_far(flow, served);
  row["preemptions"] = record.preemptions;
  row["migrations"] = record.migrations;
  row["preempted_bytes"] = record.preempted.raw;
  row["migrated_bytes"] = record.migrated.raw;
  row["exit_code"] = nullptr;
  row["note"] = record.note;
  return row;
}

json job_row(const ClusterView& view, const JobOutcome& ended, const AnswerClock& clock) {
  json row = submitted_part(ended.job, ended.submission, job_state(ended.result));
  const Service service = service_of(ended);
  row["tasks_left"] = 0;
  name_model(view, ended.submission->demand.devices.model, row);
  row["devices"] = devices_json(view, ended.devices);
  row["yield"] = nullptr;
  row["nodes"] = json::array();
  row["submitted_at"] = iso_time(ended.submitted, clock);
  row["age_s"] = to_seconds(clock.now - ended.submitted);
  row["started_at"] = iso_or_null(ended.started, clock);
  row["wait_s"] = seconds_or_null(service.wait);
  row["ended_at"] = iso_time(ended.ended, clock);
  row["turnaround_s"] = to_seconds(service.turnaround);
  row["virtual_s"] = ended.virtual_time.to_seconds();
  row["bounded_stretch"] = service.bounded_stretch;
  row["preemptions"] = ended.preemptions;
  row["migrations"] = ended.migrations;
  row["preempted_bytes"] = ended.preempted.raw;
  row["migrated_bytes"] = ended.migrated.raw;
  row["exit_code"] = ended.started || ended.result == JobResult::completed ? json(ended.exit_code) : json();
  row["note"] = ended.note;
  return row;
}

json vm_rows(const CoreState& state, const JobRecord& record) {
  json rows = json::array();
  for (std::size_t task = 0; task < record.vms.size(); ++task) {
    const Vm& vm = record.vms[task];
    const bool stands = vm.state == VmState::ready || vm.state == VmState::running;
    rows.push_back({{"task", task},
                    {"units", vm.units},
                    {"state", std::string(vm_word(vm.state))},
                    {"node", stands ? json(node_name(state.view, vm.node)) : json()},
                    {"cap", stands ? json(ratio(vm.cap)) : json()},
                    {"doing", vm.flight ? json(std::string(word(vm.flight->kind))) : json()},
                    {"incarnation", vm.incarnation},
                    {"failures", vm.failures},
                    {"unclear", vm.unclear},
                    {"exit_code", vm.exit_code ? json(*vm.exit_code) : json()}});
  }
  return rows;
}

}  // namespace aliquot::wire
