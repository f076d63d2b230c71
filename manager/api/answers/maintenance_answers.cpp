#include "manager/api/answers/maintenance_answers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manager/api/wire/message_text.hpp"
#include "manager/api/wire/protocol.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "manager/core/lost_vms.hpp"
#include "manager/core/maintenance_windows.hpp"
#include "monitor/codec_words.hpp"
#include "policies/model/nearest.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

json names_of(const CoreState& state, const std::vector<NodeId>& nodes) {
  json names = json::array();
  for (const NodeId node : nodes) names.push_back(node_name(state.view, node));
  return names;
}

const char* stage_of(const MaintenanceWindow& window, Instant now) {
  if (now < drained_from(window)) return "planned";
  return now < window.from ? "draining" : "under_way";
}

// How many VMs are left on its nodes.
std::int64_t vms_left(const CoreState& state, const MaintenanceWindow& window) {
  std::int64_t left = 0;
  for (const auto& [id, record] : state.records)
    left += std::ranges::count_if(record.vms, [&window](const Vm& vm) {
      return std::ranges::any_of(window.nodes, [&vm](NodeId node) { return concerns(vm, node); });
    });
  return left;
}

json window_json(const CoreState& state, const MaintenanceWindow& window, const AnswerClock& clock) {
  return {{"name", window.name},
          {"nodes", names_of(state, window.nodes)},
          {"drained_from", iso_time(drained_from(window), clock)},
          {"deadline", iso_time(deadline_of(window), clock)},
          {"from", iso_time(window.from, clock)},
          {"to", iso_time(window.to, clock)},
          {"mode", std::string(word(window.mode))},
          {"then", std::string(word(window.then))},
          {"by", window.by},
          {"stage", stage_of(window, clock.now)},
          {"vms_left", vms_left(state, window)}};
}

}  // namespace

std::string window_answer(const CoreState& state, const MaintenanceWindow& window, bool dry_run,
                          const AnswerClock& clock) {
  json answer = window_json(state, window, clock);
  answer["dry_run"] = dry_run;
  return to_line(answer);
}

std::string window_list_answer(const CoreState& state, const AnswerClock& clock) {
  std::vector<const MaintenanceWindow*> windows;
  for (const MaintenanceWindow& window : state.windows) windows.push_back(&window);
  std::ranges::stable_sort(windows, {}, [](const MaintenanceWindow* window) { return window->from; });
  json rows = json::array();
  for (const MaintenanceWindow* window : windows) rows.push_back(window_json(state, *window, clock));
  return to_line({{"windows", std::move(rows)}});
}

std::string window_removed_answer(const CoreState& state, const std::string& name,
                                  const std::vector<NodeId>& back) {
  return to_line({{"name", name}, {"done", "removed"}, {"nodes", names_of(state, back)}});
}

Error no_such_window(const CoreState& state, const std::string& name) {
  std::vector<std::string> names;
  for (const MaintenanceWindow& window : state.windows) names.push_back(window.name);
  if (names.size() > 20) names.resize(20);
  return {ErrorKind::not_found,
          "there is no maintenance window " + in_quotes(name) +
              (names.empty() ? "" : did_you_mean(name, names) + "; known are " + comma_list(names))};
}

std::string motd_answer(const MessageOfTheDay& message, const AnswerClock& clock) {
  if (message.text.empty()) return to_line({{"text", nullptr}, {"by_uid", nullptr}, {"since", nullptr}});
  return to_line(
      {{"text", message.text}, {"by_uid", message.by}, {"since", iso_time(message.since, clock)}});
}

json motd_part(const CoreState& state) {
  return state.message.text.empty() ? json() : json(state.message.text);
}

}  // namespace aliquot
