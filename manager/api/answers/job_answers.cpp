#include "manager/api/answers/job_answers.hpp"

#include <bit>
#include <nlohmann/json.hpp>

#include "manager/api/answers/array_answers.hpp"
#include "manager/api/answers/checkpoint_answers.hpp"
#include "manager/api/answers/cpu_answers.hpp"
#include "manager/api/answers/deferral_answers.hpp"
#include "manager/api/answers/job_state.hpp"
#include "manager/api/answers/maintenance_answers.hpp"
#include "manager/api/answers/memory_answers.hpp"
#include "manager/api/answers/run_time_answers.hpp"
#include "manager/api/wire/job_data_codec.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "manager/api/wire/submission_codec.hpp"
#include "monitor/codec_words.hpp"
#include "monitor/outcome.hpp"
#include "monitor/profile_text.hpp"
#include "policies/model/device_models.hpp"

namespace aliquot {

using nlohmann::json;

using namespace wire;

namespace {

json network_json(const std::optional<JobNetwork>& network) {
  if (!network) return nullptr;
  json row{{"bandwidth_bps", network->bandwidth.raw > 0 ? json(network->bandwidth.raw) : json()}};
  if (network->is_site()) {
    row["bridge"] = network->site_bridge;
    return row;
  }
  row["addresses"] = print_ipv4(network->addresses);
  row["first"] = print_ipv4(Ipv4Address{network->addresses.first.raw + 1});
  row["mtu"] = network->mtu;
  return row;
}

json shares_json(const std::vector<NfsShare>& shares) {
  json rows = json::array();
  for (const NfsShare& share : shares)
    rows.push_back({{"share", share.name}, {"path", share.path}, {"read_only", share.read_only}});
  return rows;
}

// The fields that do not depend on the state of the job.
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
          {"wall_limit_s", seconds_or_null(s.wall_limit)},
          {"warn_s", seconds_or_null(s.warn)},
          {"on_task_failure", std::string(word(s.on_task_failure))},
          {"requeue", s.requeue.value_or(0)},
          {"network", network_json(s.network)},
          {"member", member_json(s)},
          {"asks", constraints_json(s.demand)}};
}

// The device slots held on each node.
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

void name_models(const ClusterView& view, const DeviceModels& models, json& row) {
  const std::string names = text_of(models, view.device_models);
  if (!names.empty()) row["asks"]["gpu_model"] = names;
}

std::string_view vm_word(VmState state) {
  constexpr std::string_view words[] = {"absent", "ready", "running", "saved", "ended"};
  return words[static_cast<std::size_t>(state)];
}

json job_row(const CoreState& state, const Job& job, const JobRecord& record, const AnswerClock& clock,
             const ExpectedRest& expected) {
  json row = submitted_part(job.id, record.submission, job_state(job, record));
  const Duration flow = clock.now - job.submitted;
  const VirtualTime served = job.progress.at(clock.now);
  row["array"] = array_json(state, record);
  row["tasks_left"] = job.demand.tasks;
  name_models(state.view, job.demand.devices.models, row);
  row["devices"] = devices_json(state.view, held_by(job));
  row["yield"] = ratio_or_null(yield_given(job, record));
  row["nodes"] = placement_json(state.view, record.starts_anew ? Placement{} : job.placement);
  row["submitted_at"] = iso_time(job.submitted, clock);
  row["age_s"] = to_seconds(flow);
  row["started_at"] = iso_or_null(record.started, clock);
  row["wait_s"] = to_seconds((record.started ? *record.started : clock.now) - job.submitted);
  row["ended_at"] = nullptr;
  row["turnaround_s"] = nullptr;
  row["virtual_s"] = served.to_seconds();
  row["bounded_stretch"] = bounded_stretch_so_far(flow, served);
  row["expected"] = expected_json(expected ? expected(job, record) : std::nullopt);
  row["preemptions"] = record.preemptions;
  row["migrations"] = record.migrations;
  row["preempted_bytes"] = record.preempted.raw;
  row["migrated_bytes"] = record.migrated.raw;
  row["reruns"] = record.reruns;
  row["exit_code"] = nullptr;
  row["note"] = record.deferral.any() ? deferral_note(record.deferral, clock) : record.note;
  return row;
}

json job_row(const ClusterView& view, const JobOutcome& ended, const AnswerClock& clock) {
  json row = submitted_part(ended.job, ended.submission, job_state(ended.result));
  const Service service = service_of(ended);
  row["array"] = array_json(ended.submission);
  row["tasks_left"] = 0;
  name_models(view, ended.submission->demand.devices.models, row);
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
  row["expected"] = nullptr;
  row["preemptions"] = ended.preemptions;
  row["migrations"] = ended.migrations;
  row["preempted_bytes"] = ended.preempted.raw;
  row["migrated_bytes"] = ended.migrated.raw;
  row["reruns"] = ended.reruns;
  const bool has_run = ended.started || ended.result == JobResult::completed;
  row["exit_code"] = has_run && !ended.submission->array ? json(ended.exit_code) : json();
  row["note"] = ended.note;
  return row;
}

json vm_rows(const CoreState& state, const JobRecord& record, const std::optional<JobUse>& use) {
  json rows = json::array();
  for (std::size_t task = 0; task < record.vms.size(); ++task) {
    const Vm& vm = record.vms[task];
    const auto told = memory_told(use, vm, static_cast<std::uint32_t>(task));
    const bool stands = vm.state == VmState::ready || vm.state == VmState::running;
    rows.push_back({{"task", task},
                    {"units", vm.units},
                    {"state", std::string(vm_word(vm.state))},
                    {"node", stands ? json(node_name(state.view, vm.node)) : json()},
                    {"cap", stands ? json(ratio(vm.cap)) : json()},
                    {"memory_used_bytes", told ? json(told->memory->used().raw) : json()},
                    {"doing", vm.flight ? json(std::string(word(vm.flight->kind))) : json()},
                    {"incarnation", vm.incarnation},
                    {"leaving", vm.leaving != Leaving::no && vm.state != VmState::ended},
                    {"failures", vm.failures},
                    {"unclear", vm.unclear},
                    {"exit_code", vm.exit_code ? json(*vm.exit_code) : json()}});
  }
  return rows;
}

json refused_json(const std::optional<RefusedAnnouncement>& refused, const AnswerClock& clock) {
  if (!refused) return nullptr;
  return {{"task", refused->task},
          {"at", iso_time(refused->at, clock)},
          {"tasks", refused->tasks},
          {"why", refused->why}};
}

// How its number of tasks is to change; null: it is not.
json evolution_json(const Submission& job, const Evolution& its, const AnswerClock& clock) {
  if (job.profile.empty() && !its.any()) return nullptr;
  json announced = json::array();
  for (const AnnouncedTasks& next : its.announced)
    announced.push_back({{"at", iso_time(next.at, clock)}, {"tasks", next.tasks}, {"why", next.why}});
  return {{"profile", job.profile.empty() ? json() : json(print_profile(job.demand.tasks, job.profile))},
          {"step", its.steps_done + 1},
          {"announced", std::move(announced)},
          {"refused", refused_json(its.newest_refused, clock)},
          {"to_be_added", its.growth},
          {"why", its.growth > 0 ? json(its.why) : json()},
          {"grace_s", to_seconds(job.grace)}};
}

// What its user has declared, and what has been learned by watching its VMs (docs/needs.md).
json need_json(const Submission& job, const std::optional<LearnedNeed>& learned, const AnswerClock& clock) {
  json answer{{"mode", needs::name_of(job.need_mode.value_or(needs::NeedMode::declared))},
              {"declared_cpus", in_cores(declared_need(job).need)},
              {"cpus", in_cores(job.demand.need)},
              {"learned", nullptr}};
  if (learned)
    answer["learned"] = {{"used_cpus", in_cores(learned->used)},
                         {"confidence", static_cast<double>(learned->confidence) / 100},
                         {"at", iso_time(learned->at, clock)}};
  return answer;
}

}  // namespace

const Job* planned_or_leaving(const CoreState& state, JobId job) {
  if (const auto at = state.view.jobs.find(job); at != state.view.jobs.end()) return &at->second;
  const auto record = state.records.find(job);
  if (record == state.records.end() || !record->second.leaving) return nullptr;
  return &*record->second.leaving;
}

Error no_such_job(JobId job) {
  return {ErrorKind::not_found,
          "there is no job " + std::to_string(job.raw) + "; see `aliquot list --all`"};
}

namespace {
// An array is one row; its members are asked for.
bool is_listed(const Submission& job, const List& asked) {
  return asked.array ? job.member && job.member->array == *asked.array : !job.member;
}
}  // namespace

bool is_full_of_active(const CoreState& state, const List& asked) {
  std::size_t count = 0;
  for (auto at = state.records.begin(); at != state.records.end() && !asked.ended_before; ++at)
    if (asked.after.value_or(JobId{}) < (*at).first && is_listed((*at).second.submission, asked) &&
        ++count > asked.limit)
      return true;
  return false;
}

std::string list_answer(const CoreState& state, const List& asked, const std::vector<JobOutcome>& ended,
                        const AnswerClock& clock, const Sight& sight, const ExpectedRest& expected) {
  const std::size_t limit = asked.limit;
  json jobs = json::array();
  json next;  // null: there are no more
  JobId last = asked.after.value_or(JobId{});
  for (const auto& [id, record] : state.records) {
    if (asked.ended_before) break;
    const bool is_meant = last < id && is_listed(record.submission, asked);
    const Job* job = is_meant ? planned_or_leaving(state, id) : nullptr;
    if (job == nullptr) continue;
    if (jobs.size() >= limit) {
      next = {{"after", last.raw}};
      break;
    }
    jobs.push_back(job_row(state, *job, record, clock, expected));
    last = id;
  }
  for (std::size_t i = 0; i < ended.size() && next.is_null(); ++i) {
    if (jobs.size() < limit)
      jobs.push_back(job_row(state.view, ended[i], clock));
    else
      next = i > 0 ? json{{"ended_before", ended[i - 1].job.raw}} : json{{"after", last.raw}};
  }
  const bool more = !next.is_null();
  sight.limit(jobs);
  json answer{{"now", iso_time(clock.now, clock)},
              {"jobs", std::move(jobs)},
              {"more", more},
              {"next", std::move(next)}};
  if (!state.message.text.empty()) answer["motd"] = motd_part(state);
  return to_line(answer);
}

Result<std::string> show_answer(const CoreState& state, JobId id, const std::optional<JobUse>& cpu,
                                const AnswerClock& clock, const Sight& sight,
                                const ExpectedRest& expected) {
  const Job* job = planned_or_leaving(state, id);
  if (job == nullptr) return tl::unexpected<Error>(no_such_job(id));
  const JobRecord& record = state.records.at(id);
  json answer = job_row(state, *job, record, clock, expected);
  answer["program"] = program_json(record.submission->program);
  answer["data"] = job_data_json(record.submission->data);
  answer["shares"] = shares_json(record.submission->shares);
  answer["movable"] = record.submission->demand.movable;
  answer["task_choice"] = task_choice_json(*record.submission);
  answer["problem"] = problem_json(*record.submission);
  answer["evolution"] = evolution_json(*record.submission, record.evolution, clock);
  answer["need"] = need_json(record.submission, record.learned, clock);
  answer["vms"] = vm_rows(state, record, cpu);
  answer["checkpoint"] = checkpoint_json(state, *job, clock);
  answer["cpu"] = cpu_json(state.view, record.submission, cpu, clock);
  answer["memory"] = memory_json(record.submission, cpu, &record, job->progress.at(clock.now), clock);
  sight.limit(answer);
  return to_line(answer);
}

std::string show_answer(const ClusterView& view, const JobOutcome& ended, const std::optional<JobUse>& cpu,
                        const AnswerClock& clock, const Sight& sight) {
  json answer = job_row(view, ended, clock);
  answer["program"] = program_json(ended.submission->program);
  answer["data"] = job_data_json(ended.submission->data);
  answer["shares"] = shares_json(ended.submission->shares);
  answer["movable"] = ended.submission->demand.movable;
  answer["task_choice"] = task_choice_json(*ended.submission);
  answer["problem"] = problem_json(*ended.submission);
  answer["evolution"] = evolution_json(*ended.submission, {}, clock);
  answer["need"] = need_json(ended.submission, {}, clock);
  answer["vms"] = json::array();
  answer["checkpoint"] = nullptr;
  answer["cpu"] = cpu_json(view, ended.submission, cpu, clock);
  answer["memory"] = memory_json(ended.submission, cpu, nullptr, ended.virtual_time, clock);
  sight.limit(answer);
  return to_line(answer);
}

std::string submitted_answer(const CoreState& state, JobId job, const Submission& submission) {
  json body{{"job", job.raw}, {"dry_run", false}};
  if (!state.message.text.empty()) body["motd"] = motd_part(state);
  if (submission.choice)
    body["tasks"] = submission.demand.tasks, body["task_choice"] = task_choice_json(submission);
  return to_line(body);
}

std::string submitted_answer(const CoreState& state, const std::vector<JobId>& jobs) {
  json numbers = json::array();
  for (const JobId job : jobs) numbers.push_back(job.raw);
  json body{{"jobs", std::move(numbers)}};
  if (!state.message.text.empty()) body["motd"] = motd_part(state);
  return to_line(body);
}

}  // namespace aliquot
