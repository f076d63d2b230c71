#include "manager/api/explain/line_words.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "config/quantities.hpp"
#include "manager/api/answers/answer_values.hpp"
#include "manager/api/explain/cause_words.hpp"
#include "manager/api/explain/chronicle_rows.hpp"
#include "monitor/array_text.hpp"
#include "monitor/codec_event.hpp"
#include "monitor/codec_step.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot::wire {

using nlohmann::json;

namespace {

std::string because(const std::string& why) { return why.empty() ? "" : ": " + why; }

// "task 3", "tasks 0 to 3".
std::string tasks_words(const TaskRun& tasks) {
  if (tasks.count == 1) return "task " + std::to_string(tasks.first);
  return "tasks " + std::to_string(tasks.first) + " to " + std::to_string(tasks.first + tasks.count - 1);
}

// The nodes of a run of tasks: "n0,n1:2".
std::string on_nodes(const ClusterView& view, const TaskRun& tasks, const TaskNodes& nodes) {
  Placement placement;
  for (std::uint32_t k = 0; k < tasks.count; ++k) {
    const NodeId node = nodes[k];
    if (!placement.empty() && placement.back().node == node)
      ++placement.back().units;
    else
      placement.push_back({node, 1});
  }
  return placement_words(view, placement);
}

struct EventWords {
  const ClusterView& view;
  std::string operator()(const Submitted&) const { return "was submitted"; }
  std::string operator()(const Cancelled& e) const {
    if (!e.indices.empty())
      return "its members " + print_indices(e.indices) + " are to end (" + std::string(word(e.result)) +
             ")" + because(e.why);
    return "is to end (" + std::string(word(e.result)) + ")" + because(e.why);
  }
  std::string operator()(const HoldChanged& e) const { return e.held ? "was held" : "was released"; }
  std::string operator()(const NeedChanged& e) const {
    return "a task needs " + say_cores(e.need) + " from now on" + because(e.why);
  }
  std::string operator()(const NeedLearned& e) const {
    return "a task was found to need " + say_cores(e.need) + because(e.why);
  }
  std::string operator()(const MemoryLearned& e) const {
    return "a task is counted with " + print_memory(e.memory) + " of memory" + because(e.why);
  }
  std::string operator()(const WeightsChanged&) const { return ""; }
  std::string operator()(const AccountsChanged&) const { return ""; }
  std::string operator()(const CoreHoursServed&) const { return ""; }
  std::string operator()(const MoveTermsChanged&) const { return ""; }
  std::string operator()(const TasksChanged& e) const { return tasks_changed_words(e, view.now); }
  std::string operator()(const TasksAdded& e) const { return tasks_added_words(view, e); }
  std::string operator()(const AnnouncementRefused& e) const {
    return announcement_refused_words(e, view.now);
  }
  std::string operator()(const TaskEnded& e) const {
    return tasks_words(e.tasks) + " ended" +
           (e.exit_code ? " with exit code " + std::to_string(*e.exit_code) : "") + because(e.note);
  }
  std::string operator()(const Outcome& e) const {
    return "action " + std::to_string(e.op.raw) + " of " + tasks_words(e.tasks) +
           (e.error ? " failed after " : " took ") + seconds_words(e.took) +
           (e.error ? because(e.error->message) : "");
  }
  std::string operator()(const Inspected& e) const {
    return "task " + std::to_string(e.task) + " was found " + std::string(word(e.fact)) +
           (e.fact == VmFact::running || e.fact == VmFact::paused ? " on " + node_name(view, e.node) : "");
  }
  std::string operator()(const Displaced& e) const {
    return (e.anew ? "was sent back" : "was taken off its nodes") + because(e.why);
  }
  std::string operator()(const ForeignMove& e) const {
    return "another program touched its task " + std::to_string(e.task) + " on " + node_name(view, e.node) +
           because(e.what);
  }
  // Of the cluster.
  template <class E>
  std::string operator()(const E& e) const {
    return disturbance_words(view, e);
  }
};

struct ActionWords {
  const ClusterView& view;
  std::string at(Yield yield) const { return ", at yield " + decimals(yield); }
  std::string operator()(const Create& a) const {
    return "create " + tasks_words(a.tasks) + " on " + on_nodes(view, a.tasks, a.nodes) + at(a.yield);
  }
  std::string operator()(const Restore& a) const {
    return "restore " + tasks_words(a.tasks) + " on " + on_nodes(view, a.tasks, a.nodes) + at(a.yield) +
           (a.checkpoint > 0 ? ", from checkpoint " + std::to_string(a.checkpoint) : "");
  }
  std::string operator()(const Release& a) const { return "let " + tasks_words(a.tasks) + " run"; }
  std::string operator()(const Cap& a) const { return "cap " + tasks_words(a.tasks) + at(a.yield); }
  std::string operator()(const Suspend& a) const { return "suspend " + tasks_words(a.tasks); }
  std::string operator()(const Save& a) const {
    return "save " + tasks_words(a.tasks) + " from " + on_nodes(view, a.tasks, a.nodes);
  }
  std::string operator()(const Migrate& a) const {
    return "migrate " + tasks_words(a.tasks) + " from " + on_nodes(view, a.tasks, a.from) + " to " +
           on_nodes(view, a.tasks, a.to);
  }
  std::string operator()(const Abort& a) const { return "abort action " + std::to_string(a.target.raw); }
  std::string operator()(const Destroy& a) const {
    return "destroy " + tasks_words(a.tasks) + " on " + on_nodes(view, a.tasks, a.nodes);
  }
  std::string operator()(const Checkpoint& a) const {
    return "make checkpoint " + std::to_string(a.number);
  }
  template <class A>
  std::string operator()(const A& a) const {
    return std::string(word(kind(Action(a)))) + " " + tasks_words(a.tasks);
  }
};

std::string change_words(const ClusterView& view, const Change& change) {
  if (change.placement.empty()) return "off its nodes";
  return "on " + placement_words(view, change.placement) + " at yield " + decimals(change.yield);
}

// The line of a whole decision has a count of changes; that of one job has the change itself.
std::string decision_words(const ClusterView& view, json line) {
  const std::string policy = line.value("decision", "");
  const bool adopted = line.value("adopted", true);
  if (const auto changes = line.find("changes"); changes != line.end()) {
    if (line.contains("violations")) return "a plan of " + policy + " broke a law, and is not carried out";
    return policy + (adopted ? " decided: " : " advises: ") + changes->dump() +
           (*changes == 1 ? " job changes" : " jobs change");
  }
  for (const char* key : {"decision", "adopted"}) line.erase(key);
  const auto change = decode_json<Change>(line);
  return change ? policy + (adopted ? " wants it " : " advises it ") + change_words(view, *change) : "";
}

std::string end_words(const json& line) {
  const json exit_code = line.value("exit_code", json());
  return "ended: " + line.value("result", "") +
         (exit_code.is_null() ? "" : ", exit code " + exit_code.dump()) + because(line.value("note", ""));
}

}  // namespace

std::string line_words(const ClusterView& view, const json& line) {
  if (!line.is_object()) return "";
  if (line.contains("event")) {
    const auto event = decode_json<Event>(line);
    return event ? std::visit(EventWords{view}, *event) : "";
  }
  if (line.contains("action")) {
    const auto action = decode_json<Action>(line);
    return action ? "action " + std::to_string(head(*action).op.raw) + ": " +
                        std::visit(ActionWords{view}, *action)
                  : "";
  }
  if (line.contains("decision")) return decision_words(view, line);
  return line.contains("result") ? end_words(line) : "";
}

}  // namespace aliquot::wire
