#include "manager/api/answers/node_answers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "manager/core/lost_vms.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

JobFate fate_of(const CoreState& state, JobId id, const JobRecord& record, NodeId node) {
  const auto lost = [node](const Vm& vm) { return vm.has_run && exists(vm) && concerns(vm, node); };
  if (record.starts_anew) return {id, "rerun", "it starts anew already"};
  if (record.leaving) return {id, "end", "it is ending: " + record.note};
  if (std::ranges::none_of(record.vms, lost))
    return {id, "wait", "its VMs there have not run: it is placed elsewhere, or goes on where it is"};
  const AfterLoss after = after_loss(state, id);
  if (after == AfterLoss::roll_back)
    return {id, "restore", "it goes on elsewhere from its newest checkpoint"};
  if (after == AfterLoss::rerun)
    return {id, "rerun",
            "it starts anew from the beginning (rerun " + std::to_string(record.reruns + 1) + " of " +
                std::to_string(record.submission->requeue.value_or(0)) + ")"};
  return {id, "fail", "it fails: it has no reruns left (`aliquot submit --requeue N`)"};
}

json row_json(const CoreState& state, JobId job, const std::string& what, const std::string& text) {
  return {
      {"job", job.raw}, {"name", state.records.at(job).submission->name}, {"what", what}, {"text", text}};
}

}  // namespace

json rows_json(const CoreState& state, const std::vector<JobFate>& fates) {
  json rows = json::array();
  for (const JobFate& fate : fates) rows.push_back(row_json(state, fate.job, fate.what, fate.text));
  return rows;
}
json rows_json(const CoreState& state, const std::vector<DrainRow>& drained) {
  json rows = json::array();
  for (const DrainRow& row : drained) rows.push_back(row_json(state, row.job, row.turn, row.why));
  return rows;
}

Result<NodeId> node_named(const CoreState& state, const std::string& name) {
  for (const Node& node : state.view.nodes)
    if (node.name == name) return node.id;
  return tl::unexpected<Error>(no_such_node(state, name));
}

Result<void> can_confirm_down(const CoreState& state, NodeId id, bool held_by_other) {
  const Node& node = state.view.nodes[id.raw];
  if (node.power != NodePower::on)
    return fail(ErrorKind::conflict, "node " + node.name + " is asleep (" + std::string(word(node.power)) +
                                         "), so it holds nothing, and its silence is no fault");
  if (node.answers() || held_by_other)
    return fail(ErrorKind::conflict, "node " + node.name + " answers, so it is not down" +
                                         (held_by_other ? " (VMs of another cluster run on it)" : "") +
                                         "; to take it out of use, drain it: `aliquot node drain " +
                                         node.name + "`");
  if (node.state != NodeState::fenced) return {};
  return fail(ErrorKind::conflict, "node " + node.name + " is " + state.node_records.at(id).why);
}

std::vector<JobFate> fates_on(const CoreState& state, NodeId node) {
  std::vector<JobFate> fates;
  for (const auto& [id, record] : state.records) {
    const auto here = [node](const Vm& vm) { return concerns(vm, node); };
    if (std::ranges::any_of(record.vms, here)) fates.push_back(fate_of(state, id, record, node));
  }
  return fates;
}

std::string confirm_down_answer(const CoreState& state, NodeId id, bool dry_run, const Sight& sight) {
  const Node& node = state.view.nodes[id.raw];
  json jobs = rows_json(state, fates_on(state, id));
  sight.limit(jobs);
  return to_line({{"node", node.name},
                  {"state", std::string(word(node.state))},
                  {"dry_run", dry_run},
                  {"jobs", std::move(jobs)}});
}

std::string drain_answer(const CoreState& state, NodeId id, const Drain& drain,
                         const std::vector<DrainRow>& rows, bool dry_run, const AnswerClock& clock,
                         const Sight& sight) {
  json jobs = rows_json(state, rows);
  sight.limit(jobs);
  return to_line({{"node", state.view.nodes[id.raw].name},
                  {"mode", std::string(word(drain.mode))},
                  {"at", iso_time(drain.since, clock)},
                  {"deadline", iso_or_null(drain.deadline, clock)},
                  {"then", std::string(word(drain.then))},
                  {"dry_run", dry_run},
                  {"jobs", std::move(jobs)}});
}

std::string resumed_answer(const std::string& node) {
  return to_line({{"node", node}, {"service", std::string(word(NodeService::in_service))}});
}

}  // namespace aliquot
