#include "monitor/log_lines.hpp"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "config/quantities.hpp"
#include "monitor/action_parts.hpp"
#include "monitor/codec_words.hpp"
#include "monitor/outcome.hpp"

namespace aliquot {
namespace {

// One line in the making: Line("job_ended").add("job", 7).
class Line {
 public:
  explicit Line(std::string_view what) { out_ << what; }
  template <class T>
  Line& add(std::string_view key, const T& value) {
    out_ << ' ' << key << '=' << value;
    return *this;
  }
  Line& job(JobId id) { return add("job", id.raw); }
  Line& tasks(TaskRun run) {
    add("task", run.first);
    if (run.count > 1) out_ << "-" << run.first + run.count - 1;
    return *this;
  }
  // Of a node, by name where the view has it.
  Line& node(std::string_view key, NodeId id, const ClusterView& view) {
    if (id.raw < view.nodes.size()) return add(key, view.nodes[id.raw].name);
    return add(key, id.raw);
  }
  Line& said(std::string_view key, const std::string& words) {
    // Error messages are not cut: they end with what to do.
    constexpr std::size_t kWhole = 2000;
    return words.empty() ? *this : add(key, quote(words, kWhole));
  }
  // Of a setting: the operator that set it by command, or the configuration.
  Line& origin(std::optional<std::uint32_t> by) {
    return by ? add("by_uid", *by) : add("by", "configuration");
  }
  Line& fixed(std::string_view key, double value) {
    out_ << ' ' << key << '=' << std::fixed << std::setprecision(3) << value;
    return *this;
  }
  [[nodiscard]] LogLine at(LogLevel level) const { return {level, out_.str()}; }

 private:
  std::ostringstream out_;
};

// What an event has to say; none: the effect shows elsewhere (a job's end) or there is none (timers).
struct EventLines {
  const ClusterView& view;
  std::vector<LogLine>& lines;

  void operator()(const Submitted& e) const {
    const Demand& demand = e.submission->demand;
    Line line("job_submitted");
    line.job(e.job)
        .add("uid", e.submission->uid)
        .add("tasks", demand.tasks)
        .add("cpus", print_cores(demand.need))
        .add("memory", print_memory(demand.memory))
        .said("name", e.submission->name);
    if (const auto& array = e.submission->array) line.add("members", count_of(array->indices));
    if (const auto& member = e.submission->member)
      line.add("array", member->array.raw).add("index", member->index);
    lines.push_back(line.at(LogLevel::info));
  }
  void operator()(const Cancelled& e) const {
    Line line("job_stopped");
    line.job(e.job).add("result", word(e.result));
    if (!e.indices.empty()) line.add("members", count_of(e.indices));
    lines.push_back(line.said("why", e.why).at(LogLevel::info));
  }
  void operator()(const HoldChanged& e) const {
    lines.push_back(Line(e.held ? "job_held" : "job_let_go").job(e.job).at(LogLevel::info));
  }
  void operator()(const NeedChanged& e) const {
    lines.push_back(Line("job_need_changed")
                        .job(e.job)
                        .add("cpus", print_cores(e.need))
                        .said("why", e.why)
                        .at(LogLevel::info));
  }
  void operator()(const NeedLearned& e) const {
    lines.push_back(Line("job_need_learned")
                        .job(e.job)
                        .add("cpus", print_cores(e.need))
                        .add("used", print_cores(e.used))
                        .add("confidence", e.confidence)
                        .said("why", e.why)
                        .at(LogLevel::info));
  }
  void operator()(const MemoryLearned& e) const {
    lines.push_back(Line("job_memory_learned")
                        .job(e.job)
                        .add("memory", print_memory(e.memory))
                        .add("used", print_memory(e.used))
                        .said("why", e.why)
                        .at(LogLevel::info));
  }
  void operator()(const WeightsChanged& e) const {
    for (const UserWeight& one : e.weights)
      lines.push_back(Line("user_weight_changed")
                          .add("account", one.account)
                          .add("uid", one.uid)
                          .add("weight_millionths", one.weight.raw)
                          .at(LogLevel::debug));
  }
  void operator()(const AccountsChanged& e) const {
    lines.push_back(Line("accounts_changed").add("accounts", e.accounts.size()).at(LogLevel::info));
  }
  void operator()(const CoreHoursServed& e) const {
    for (const ServedCoreHours& one : e.reached)
      lines.push_back(Line("core_hours_served")
                          .add("account", one.account)
                          .add("uid", one.uid ? std::to_string(*one.uid) : std::string("all"))
                          .add("core_hours", one.core_hours)
                          .at(LogLevel::info));
  }
  void operator()(const TasksChanged& e) const {
    lines.push_back(
        Line("job_tasks_changed").job(e.job).add("tasks", e.tasks).said("why", e.why).at(LogLevel::info));
  }
  void operator()(const TasksAdded& e) const {
    std::uint32_t more = 0;
    for (const Share& share : e.more) more += share.units;
    lines.push_back(Line("job_tasks_added").job(e.job).add("tasks", more).at(LogLevel::info));
  }
  void operator()(const AnnouncementRefused& e) const {
    lines.push_back(Line("announcement_refused")
                        .job(e.job)
                        .add("task", e.guest.task)
                        .add("tasks", e.tasks)
                        .said("why", e.why)
                        .at(LogLevel::warning));
  }
  void operator()(const TaskEnded& e) const {
    Line line("task_ended");
    line.job(e.job).tasks(e.tasks).add("incarnation", e.incarnation);
    if (e.exit_code) line.add("exit", *e.exit_code);
    lines.push_back(line.said("note", e.note).at(e.exit_code ? LogLevel::debug : LogLevel::warning));
  }
  void operator()(const Outcome& e) const {
    Line line(e.error ? "action_failed" : "action_done");
    line.add("op", e.op.raw).job(e.job).tasks(e.tasks).fixed("took_s", to_seconds(e.took));
    if (e.error) line.add("kind", word(e.error->kind)).said("error", e.error->message);
    lines.push_back(line.at(e.error ? LogLevel::warning : LogLevel::debug));
  }
  void operator()(const Inspected& e) const {
    lines.push_back(Line("vm_inspected")
                        .job(e.job)
                        .add("task", e.task)
                        .add("incarnation", e.incarnation)
                        .add("found", word(e.fact))
                        .at(LogLevel::info));
  }
  void operator()(const NodeChanged& e) const {
    lines.push_back(Line("node_changed")
                        .node("node", e.node, view)
                        .add("state", word(e.state))
                        .said("why", e.why)
                        .at(e.state == NodeState::up ? LogLevel::info : LogLevel::warning));
  }
  void operator()(const NodeFenced& e) const {
    lines.push_back(Line("node_fenced")
                        .node("node", e.node, view)
                        .said("by", e.by)
                        .said("why", e.why)
                        .at(LogLevel::warning));
  }
  void operator()(const PowerChanged& e) const {
    lines.push_back(Line("node_power_changed")
                        .node("node", e.node, view)
                        .add("power", word(e.power))
                        .said("why", e.why)
                        .at(LogLevel::info));
  }
  void operator()(const ServiceChanged& e) const {
    Line line("node_service_changed");
    line.node("node", e.node, view).add("service", word(e.service));
    if (e.drain)
      line.add("mode", word(e.drain->mode)).said("by", e.drain->by).said("window", e.drain->window);
    lines.push_back(line.said("window", e.window).at(LogLevel::info));
  }
  // To the second.
  [[nodiscard]] std::string span_until(Instant at) const {
    const std::int64_t span = std::max(Duration{}, at - view.now).raw;
    return print_duration(seconds((span + kMillion / 2) / kMillion));
  }
  void operator()(const DrainAnnounced& e) const {
    Line line(e.drain ? "node_drain_announced" : "node_drain_withdrawn");
    line.node("node", e.node, view);
    if (e.drain)
      line.add("in", span_until(e.drain->since)).add("mode", word(e.drain->mode)).said("by", e.drain->by);
    lines.push_back(line.at(LogLevel::info));
  }
  void operator()(const WindowChanged& e) const {
    const MaintenanceWindow& window = e.window;
    Line line("maintenance_window");
    line.add("name", window.name).add("stage", word(e.stage)).add("nodes", window.nodes.size());
    if (e.stage != WindowStage::over)
      line.add("starts_in", span_until(window.from))
          .add("lasts", print_duration(window.to - window.from))
          .add("mode", word(window.mode))
          .said("by", window.by);
    lines.push_back(line.said("why", e.why).at(LogLevel::info));
  }
  void operator()(const MessageChanged& e) const {
    lines.push_back(Line(e.text.empty() ? "motd_cleared" : "motd_set")
                        .said("text", e.text)
                        .add("by_uid", e.by)
                        .at(LogLevel::info));
  }
  void operator()(const MoveTermsChanged& e) const {
    lines.push_back(Line("move_terms_changed")
                        .add("at_a_time", e.terms.at_a_time)
                        .add("cool_down", print_duration(e.terms.cool_down))
                        .at(LogLevel::info));
  }
  void operator()(const DrainReported& e) const {
    const bool is_empty = e.progress == DrainProgress::emptied;
    lines.push_back(Line("node_drain_reported")
                        .node("node", e.node, view)
                        .add("progress", word(e.progress))
                        .add("took", print_duration(e.took))
                        .said("left", e.left)
                        .at(is_empty ? LogLevel::info : LogLevel::warning));
  }
  void operator()(const PlanApplied& e) const {
    lines.push_back(
        Line("plan_applied").add("changes", e.changes.size()).add("by_uid", e.by).at(LogLevel::info));
  }
  void operator()(const Displaced& e) const {
    lines.push_back(
        Line(e.anew ? "job_rerun" : "job_displaced").job(e.job).said("why", e.why).at(LogLevel::info));
  }
  void operator()(const ForeignMove& e) const {
    lines.push_back(Line("vm_changed_by_others")
                        .job(e.job)
                        .add("task", e.task)
                        .node("node", e.node, view)
                        .add("act", word(e.act))
                        .said("what", e.what)
                        .at(LogLevel::warning));
  }
  void operator()(const OthersChanged& e) const {
    lines.push_back(Line("other_vms_changed")
                        .node("node", e.node, view)
                        .add("vms", e.others.count)
                        .add("memory", print_memory(e.others.memory))
                        .add("cpus", print_cores(e.others.cpu))
                        .at(LogLevel::info));
  }
  void operator()(const PolicyChanged& e) const {
    lines.push_back(Line("policy_changed").add("policy", quote(e.spec)).origin(e.by).at(LogLevel::info));
  }
  void operator()(const ModeChanged& e) const {
    lines.push_back(Line("mode_changed").add("mode", word(e.mode)).origin(e.by).at(LogLevel::info));
  }
  void operator()(const Configured& e) const {
    for (const NodeRenamed& each : e.renamed)
      lines.push_back(Line("node_renamed").add("from", each.from).add("to", each.to).at(LogLevel::info));
    for (const Node& node : e.nodes) {
      lines.push_back(Line("node_configured")
                          .add("node", node.name)
                          .add("state", word(node.state))
                          .add("cpus", print_cores(node.capacity))
                          .add("memory", print_memory(node.memory))
                          .at(LogLevel::info));
    }
  }
  void operator()(const Restarted& e) const {
    lines.push_back(Line("manager_restarted").add("epoch", e.epoch).at(LogLevel::info));
  }
  void operator()(const Tick&) const {}
  void operator()(const Woken&) const {}
  void operator()(const TimerExpired&) const {}
};

void add_decision(const Decision& decision, const Step& step, std::vector<LogLine>& lines) {
  Line line(decision.adopted              ? "plan_adopted"
            : decision.violations.empty() ? "plan_advised"
                                          : "plan_refused");
  line.add("step", step.number)
      .add("policy", quote(decision.policy))
      .add("changes", decision.plan.changes.size())
      .fixed("decided_ms", static_cast<double>(decision.nanoseconds) / 1e6);
  const bool quiet = decision.violations.empty() && decision.plan.changes.empty();
  const LogLevel usual = quiet ? LogLevel::debug : LogLevel::info;
  lines.push_back(line.at(decision.violations.empty() ? usual : LogLevel::error));
  for (const Violation& violation : decision.violations) {
    lines.push_back(Line("law_broken")
                        .add("law", name(violation.law))
                        .said("text", violation.text)
                        .at(LogLevel::error));
  }
}

// Of tasks that stand on one node.
LogLine action_line(const Action& action, const ClusterView& view) {
  Line line("action_issued");
  line.add("action", word(action))
      .add("op", head(action).op.raw)
      .job(head(action).job)
      .tasks(head(action).tasks);
  std::visit(
      [&](const auto& a) {
        if constexpr (requires { a.from; }) line.node("from", a.from[0], view).node("to", a.to[0], view);
        if constexpr (requires { a.nodes; }) line.node("node", a.nodes[0], view);
        if constexpr (requires { a.yield; }) line.add("yield", print_ratio(a.yield.raw));
        if constexpr (requires { a.target; }) line.add("target", a.target.raw);
        if constexpr (requires { a.number; }) line.add("number", a.number);
        if constexpr (requires { a.checkpoint; })
          if (a.checkpoint > 0) line.add("checkpoint", a.checkpoint);
      },
      action);
  return line.at(LogLevel::info);
}

LogLine end_line(const JobOutcome& outcome) {
  const Service service = service_of(outcome);
  return Line("job_ended")
      .job(outcome.job)
      .add("result", word(outcome.result))
      .add("exit", outcome.exit_code)
      .fixed("turnaround_s", to_seconds(service.turnaround))
      .fixed("bounded_stretch", service.bounded_stretch)
      .add("preemptions", outcome.preemptions)
      .add("migrations", outcome.migrations)
      .said("note", outcome.note)
      .at(outcome.result == JobResult::completed ? LogLevel::info : LogLevel::warning);
}

using Json = nlohmann::ordered_json;

std::string dump(const Json& object) {
  std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.substr(1, text.size() - 2);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The quoted value off the front of `rest`, which begins behind the opening quote; none: it does not end.
std::optional<std::string> take_quoted(std::string_view& rest, char quote) {
  std::string value;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == quote) {
      rest.remove_prefix(i + 1);
      return value;
    }
    if (rest[i] != '\\' || quote != '"' || i + 1 == rest.size()) {
      value += rest[i];
    } else if (rest[i + 1] == 'x' && i + 3 < rest.size() && hex_digit(rest[i + 2]) >= 0 &&
               hex_digit(rest[i + 3]) >= 0) {
      value += static_cast<char>(hex_digit(rest[i + 2]) * 16 + hex_digit(rest[i + 3]));
      i += 3;
    } else {
      value += rest[++i];
    }
  }
  return std::nullopt;
}

// A number where the text is just how JSON would write it; else the text.
Json bare(std::string_view text) {
  Json number = Json::parse(text, nullptr, false);
  const bool same = number.is_number_integer() && number.dump() == text;
  const bool decimal = number.is_number_float() && text.size() <= 17 &&  // what a double holds
                       text.find('.') != text.npos && text.find_first_of("eE") == text.npos;
  return same || decimal ? number : Json(text);
}

std::string_view take_until(std::string_view& rest, char end) {
  const std::string_view taken = rest.substr(0, rest.find(end));
  rest.remove_prefix(taken.size());
  return taken;
}

bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == text.npos;
}

// None: the text is not written as events are.
std::optional<Json> as_event(std::string_view rest) {
  const std::string_view event = take_until(rest, ' ');
  if (!is_word(event)) return std::nullopt;
  Json object{{"event", event}};
  while (!rest.empty()) {
    if (rest.front() != ' ') return std::nullopt;
    rest.remove_prefix(1);
    const std::string_view key = take_until(rest, '=');
    if (!is_word(key) || rest.empty()) return std::nullopt;
    rest.remove_prefix(1);
    const char quote = rest.empty() ? ' ' : rest.front();
    std::optional<Json> value;
    if (quote == '"' || quote == '\'') {
      rest.remove_prefix(1);
      if (auto text = take_quoted(rest, quote)) value = std::move(*text);
    } else {
      value = bare(take_until(rest, ' '));
    }
    if (!value) return std::nullopt;
    const bool taken = key == "event" || key == "time" || key == "level";
    object[(taken ? "its_" : "") + std::string(key)] = std::move(*value);
  }
  return object;
}

}  // namespace

std::vector<LogLine> log_lines(const Step& step, const ClusterView& after) {
  std::vector<LogLine> lines;
  for (const Event& event : step.events) std::visit(EventLines{after, lines}, event);
  if (step.decision) add_decision(*step.decision, step, lines);
  for (const Action& action : step.actions)
    for (const Action& part : parts_by_node(action)) lines.push_back(action_line(part, after));
  for (const JobOutcome& outcome : step.ended) lines.push_back(end_line(outcome));
  return lines;
}

std::string json_members(std::string_view text) {
  if (const auto event = as_event(text)) return dump(*event);
  return dump(Json{{"message", text}});
}

}  // namespace aliquot
