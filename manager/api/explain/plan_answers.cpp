#include "manager/api/explain/plan_answers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manager/api/explain/plan_actions.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "manager/api/wire/submission_codec.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

constexpr std::size_t kMostWaits = 100;       // explained in one answer
constexpr std::size_t kExplainWork = 20'000;  // explanations times jobs and nodes

// The CPU that the job gets at this yield on all its nodes.
Cpu given(const Job& job, const Placement& placement, Yield yield) {
  Cpu sum;
  for (const Share& share : placement) sum += (job.demand.need * yield) * share.units;
  return sum;
}

std::string job_name(const CoreState& state, JobId job) {
  const auto record = state.records.find(job);
  return record == state.records.end() ? "" : record->second.submission->name;
}

json change_row(const CoreState& state, const Job& job, const Change& change) {
  const Cpu gain = given(job, change.placement, change.yield) - given(job, job.placement, job.yield);
  return {{"job", job.id.raw},
          {"name", job_name(state, job.id)},
          {"from", placement_json(state.view, job.placement)},
          {"to", placement_json(state.view, change.placement)},
          {"yield_before", ratio(job.yield)},
          {"yield_after", ratio(change.yield)},
          {"gain_cpus", in_cores(gain)}};
}

// The list of the answer to which a change belongs.
const char* kind_of(const Job& job, const Change& change) {
  if (change.placement.empty()) return "pauses";
  if (job.phase == Phase::waiting) return "starts";
  if (job.phase == Phase::paused) return "resumes";
  return change.placement == job.placement ? "yields" : "moves";
}

const Change* change_of(const Plan& plan, JobId job) {
  const auto at = std::lower_bound(plan.changes.begin(), plan.changes.end(), job,
                                   [](const Change& change, JobId id) { return change.job < id; });
  return at == plan.changes.end() || at->job != job ? nullptr : &*at;
}

std::string reason_word(Reason reason) { return std::string(word(reason)); }

// The figures of the cluster now, or after the plan.
struct Figures {
  std::uint32_t placed = 0;
  std::uint32_t waiting = 0;
  Cpu cpus;
  Yield least = kFullYield;
  std::int64_t sum = 0;

  void add(const Job& job, const Placement& placement, Yield yield) {
    if (placement.empty()) {
      ++waiting;
      return;
    }
    ++placed;
    cpus += given(job, placement, yield);
    least = std::min(least, yield);
    sum += yield.raw;
  }
  [[nodiscard]] json row() const {
    return {{"placed", placed},
            {"waiting", waiting},
            {"cpus_given", in_cores(cpus)},
            {"yield_min", placed > 0 ? json(ratio(least)) : json()},
            {"yield_mean", placed > 0 ? json(ratio({sum / placed})) : json()}};
  }
};

// The source and target nodes of an action, if it has them.
struct Ends {
  const ClusterView& view;
  json& row;
  void to(NodeId node) const { row["to"] = node_name(view, node); }
  void from(NodeId node) const { row["from"] = node_name(view, node); }
  void operator()(const Create& a) const { to(a.nodes[0]), row["yield"] = ratio(a.yield); }
  void operator()(const Restore& a) const { to(a.nodes[0]), row["yield"] = ratio(a.yield); }
  void operator()(const Cap& a) const { row["yield"] = ratio(a.yield); }
  void operator()(const Migrate& a) const { from(a.from[0]), to(a.to[0]); }
  void operator()(const Save& a) const { from(a.nodes[0]); }
  void operator()(const Destroy& a) const { from(a.nodes[0]); }
  template <class A>
  void operator()(const A&) const {}
};

void add_actions(json& answer, const CoreState& state, const Plan& plan) {
  const PlannedActions planned = planned_actions(state, plan);
  answer["actions"] = json::array();
  Memory bytes;
  for (const PlannedAction& next : planned.actions) {
    const ActionHead& of = head(next.action);
    json row{{"round", next.round},
             {"action", std::string(word(next.action))},
             {"job", of.job.raw},
             {"name", job_name(state, of.job)},
             {"task", of.tasks.first},
             {"tasks", of.tasks.count},
             {"from", nullptr},
             {"to", nullptr},
             {"yield", nullptr},
             {"bytes", next.bytes.raw},
             {"stall_s", to_seconds(next.stall)}};
    std::visit(Ends{state.view, row}, next.action);
    bytes += next.bytes;
    answer["actions"].push_back(std::move(row));
  }
  answer["more_actions"] = planned.more;
  answer["cost"] = {{"actions", planned.actions.size()}, {"bytes", bytes.raw}};
}

void add_waits(json& answer, const CoreState& state, const Policy& policy, const Plan& plan) {
  const std::size_t size = state.view.jobs.size() + state.view.nodes.size() + 1;
  const std::size_t most = std::clamp<std::size_t>(kExplainWork / size, 1, kMostWaits);
  std::size_t more = 0;
  for (const auto& [id, job] : state.view.jobs) {
    if (job.phase == Phase::running || change_of(plan, id) != nullptr) continue;
    if (answer["waits"].size() == most) {
      ++more;
      continue;
    }
    const Explanation why = policy.explain(state.view, id);
    answer["waits"].push_back({{"job", id.raw},
                               {"name", job_name(state, id)},
                               {"reason", reason_word(why.reason)},
                               {"text", why.text}});
  }
  answer["more_waits"] = more;
}

void add_remarks(json& answer, const CoreState& state, const PlanRemarks& remarks) {
  answer["what_if"] = remarks.what_if;
  answer["lost"] = rows_json(remarks.present ? *remarks.present : state, remarks.lost);
  answer["drained"] = rows_json(state, remarks.drained);
  if (remarks.saved) answer["saved"] = saved_plan_json(*remarks.saved);
}

}  // namespace

std::string plan_answer(const CoreState& state, const Policy& policy, const Plan& plan,
                        const std::vector<Violation>& violations, const AnswerClock& clock,
                        const Sight& sight, const PlanRemarks& remarks) {
  json answer{{"now", iso_time(clock.now, clock)},
              {"policy", state.policy},
              {"mode", std::string(word(state.mode))},
              {"carried_out", remarks.carried_out}};
  for (const char* kind : {"starts", "resumes", "pauses", "moves", "yields", "waits", "refused"})
    answer[kind] = json::array();
  Figures before;
  Figures after;
  for (const auto& [id, job] : (remarks.present ? *remarks.present : state).view.jobs)
    before.add(job, job.placement, job.yield);
  for (const auto& [id, job] : state.view.jobs)
    if (change_of(plan, id) == nullptr) after.add(job, job.placement, job.yield);
  for (const Change& change : plan.changes) {
    const auto job = state.view.jobs.find(change.job);
    if (job == state.view.jobs.end()) continue;
    after.add(job->second, change.placement, change.yield);
    answer[kind_of(job->second, change)].push_back(change_row(state, job->second, change));
  }
  answer["before"] = before.row();
  answer["after"] = after.row();
  add_waits(answer, state, policy, plan);
  for (const Violation& broken : violations)
    answer["refused"].push_back({{"law", name(broken.law)}, {"text", broken.text}});
  if (violations.empty()) {
    add_actions(answer, state, plan);
  } else {
    answer["actions"] = json::array();
    answer["more_actions"] = false;
    answer["cost"] = nullptr;
  }
  const bool ticks = state.view.next_tick && !state.view.jobs.empty();
  answer["next_decision_in_s"] = ticks ? json(to_seconds(*state.view.next_tick - clock.now)) : json();
  answer["asked_again_in_s"] = plan.wake_at ? json(to_seconds(*plan.wake_at - clock.now)) : json();
  add_remarks(answer, state, remarks);
  sight.limit(answer);
  return to_line(answer);
}

std::string dry_run_answer(const ClusterView& view, JobId job, const Submission& submission,
                           const Policy& policy, const Plan& plan, const AnswerClock& clock) {
  const Change* change = change_of(plan, job);
  const bool starts = change != nullptr && !change->placement.empty();
  json answer{{"dry_run", true},
              {"now", iso_time(clock.now, clock)},
              {"starts_now", starts},
              {"nodes", starts ? placement_json(view, change->placement) : json::array()},
              {"yield", starts ? json(ratio(change->yield)) : json()},
              {"vcpus", vcpus_of(submission)},
              {"tasks", submission.demand.tasks},
              {"task_choice", wire::task_choice_json(submission)},
              {"affects", json::array()},
              {"reason", nullptr},
              {"text", starts ? "It would be placed at once." : ""}};
  for (const Change& other : plan.changes)
    if (other.job != job) answer["affects"].push_back(other.job.raw);
  if (starts) return to_line(answer);
  const Explanation why = policy.explain(view, job);
  answer["reason"] = reason_word(why.reason);
  answer["text"] = why.text;
  return to_line(answer);
}

}  // namespace aliquot
