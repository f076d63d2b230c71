#include "manager/api/answers/cluster_answers.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "manager/api/answers/job_answers.hpp"
#include "manager/api/answers/job_state.hpp"
#include "manager/api/answers/maintenance_answers.hpp"
#include "manager/api/explain/chronicle_rows.hpp"
#include "manager/api/wire/message_text.hpp"
#include "manager/api/wire/protocol.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "manager/core/ledger.hpp"
#include "manager/core/maintenance_windows.hpp"
#include "manager/core/node_use.hpp"
#include "monitor/codec_words.hpp"
#include "policies/model/hypervisor_kind.hpp"
#include "policies/model/nearest.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

// The sums of what the plan in force places on a node.
struct Load {
  std::uint32_t jobs = 0;
  std::uint32_t tasks = 0;
  Cpu needed;
  Cpu given;
  Memory memory;
};

std::vector<Load> loads(const ClusterView& view) {
  std::vector<Load> all(view.nodes.size());
  for (const auto& [id, job] : view.jobs) {
    for (const Share& share : job.placement) {
      Load& load = all[share.node.raw];
      ++load.jobs;
      load.tasks += share.units;
      load.needed += job.demand.need * share.units;
      load.given += (job.demand.need * job.yield) * share.units;
      load.memory += job.demand.memory * share.units;
    }
  }
  return all;
}

// By model: the number of slots, and of those that are entirely free.
json devices_part(const ClusterView& view, const Node& node, const FreeDevices& free) {
  std::map<DeviceModel, std::pair<std::uint32_t, std::uint32_t>> models;
  const auto parts = free.on(node.id);
  for (std::size_t slot = 0; slot < node.devices.size(); ++slot) {
    if (node.devices[slot].parts == 0) continue;  // an unused number below a slot that is held
    auto& [all, whole] = models[node.devices[slot].model];
    ++all;
    whole += parts[slot] == node.devices[slot].parts ? 1 : 0;
  }
  json out = json::array();
  for (const auto& [model, counts] : models)
    out.push_back(
        {{"model", view.device_models.at(model.raw)}, {"count", counts.first}, {"free", counts.second}});
  return out;
}

json slots_part(const ClusterView& view, const Node& node, const FreeDevices& free) {
  json out = json::array();
  for (std::size_t slot = 0; slot < node.devices.size(); ++slot) {
    json jobs = json::array();
    for (const auto& [id, job] : view.jobs)
      for (std::size_t k = 0; k < job.devices.size(); ++k)
        if (job.placement[k].node == node.id && (job.devices[k] >> slot & 1) != 0) jobs.push_back(id.raw);
    const std::string place = node.device_place(slot);
    out.push_back({{"slot", slot},
                   {"place", place.empty() ? json() : json(place)},
                   {"model", view.device_models.at(node.devices[slot].model.raw)},
                   {"parts", node.devices[slot].parts},
                   {"parts_free", free.on(node.id)[slot]},
                   {"jobs", std::move(jobs)}});
  }
  return out;
}

// Of a node that is drained: how, and how many VMs are left on it.
json drain_part(const CoreState& state, NodeId node, const NodeRecord& record, const AnswerClock& clock) {
  if (!record.drain) return nullptr;
  const Drain& drain = *record.drain;
  std::int64_t left = 0;
  for (const auto& [id, job] : state.records)
    left += std::ranges::count_if(job.vms, [node](const Vm& vm) { return concerns(vm, node); });
  return {{"mode", std::string(word(drain.mode))},
          {"since", iso_time(drain.since, clock)},
          {"deadline", iso_or_null(drain.deadline, clock)},
          {"then", std::string(word(drain.then))},
          {"progress", std::string(word(drain.progress))},
          {"by", drain.by},
          {"window", drain.window.empty() ? json() : json(drain.window)},
          {"vms_left", left}};
}

// A drain that is to begin later.
json announced_part(const CoreState& state, NodeId node, const AnswerClock& clock) {
  const auto at = state.announced.find(node);
  if (at == state.announced.end()) return nullptr;
  const Drain& drain = at->second;
  return {{"at", iso_time(drain.since, clock)},
          {"mode", std::string(word(drain.mode))},
          {"deadline", iso_or_null(drain.deadline, clock)},
          {"then", std::string(word(drain.then))},
          {"by", drain.by}};
}

// The node's next maintenance window, before its drain begins.
void add_next_window(const CoreState& state, NodeId node, const AnswerClock& clock, json& row) {
  const MaintenanceWindow* next = nullptr;
  for (const MaintenanceWindow& window : state.windows)
    if (!window.begun && std::ranges::find(window.nodes, node) != window.nodes.end() &&
        (next == nullptr || window.from < next->from))
      next = &window;
  if (next == nullptr) return;
  row["next_window"] = {{"name", next->name},
                        {"drained_from", iso_time(drained_from(*next), clock)},
                        {"from", iso_time(next->from, clock)},
                        {"to", iso_time(next->to, clock)}};
}

// Of a node that does not answer, though it is on: for how long.
json silent_s(const Node& node, const NodeRecord& record, const AnswerClock& clock) {
  if (node.state == NodeState::up) return nullptr;
  return to_seconds(std::max(Duration{}, clock.now - record.since));
}

json node_row(const CoreState& state, const Node& node, const Load& load, const FreeDevices& free,
              const AnswerClock& clock) {
  const ClusterView& view = state.view;
  const auto known = state.node_records.find(node.id);
  const NodeRecord record = known == state.node_records.end() ? NodeRecord{} : known->second;
  return {
      {"node", node.name},
      {"hypervisor", std::string(name(node.hypervisor))},
      {"state", std::string(word(node.state))},
      {"service", std::string(word(node.service))},
      {"silent_s", silent_s(node, record, clock)},
      {"why", node.state == NodeState::up ? "" : record.why},
      {"power", std::string(word(node.power))},
      {"power_since", record.power_since == Instant{} ? json() : json(iso_time(record.power_since, clock))},
      {"power_why", record.power_why},
      {"drain", drain_part(state, node.id, record, clock)},
      {"announced", announced_part(state, node.id, clock)},
      {"cores", node.cores},
      {"cpus", in_cores(node.capacity)},
      {"cpus_needed", in_cores(load.needed)},
      {"cpus_given", in_cores(load.given)},
      {"memory_bytes", node.memory.raw},
      {"memory_used_bytes", load.memory.raw},
      {"other_vms", node.others.count},
      {"other_cpus", in_cores(node.others.cpu)},
      {"other_memory_bytes", node.others.memory.raw},
      {"jobs", load.jobs},
      {"tasks", load.tasks},
      {"devices", devices_part(view, node, free)}};
}

void add_power(const PowerFacts& power, NodeId node, json& row) {
  if (!power) return;
  const NodePowerFacts facts = power(node);
  row["power_why"] = facts.why;
  row["watts"] = facts.watts;
  row["watts_by"] = facts.measured ? "measured" : "table";
  if (!facts.boot.empty()) row["boot"] = facts.boot;
  row["energy_joules"] = facts.joules;
}

// It is not in force any more and holds nothing.
bool is_gone(const CoreState& state, const Node& node, const Load& load, const NodeSource& source) {
  return source && source(node.name) == kRemovedNode && load.jobs == 0 && !has_vms(state, node.id);
}

json policy_part(const Policy& policy) {
  return {{"policy", policy.name()}, {"period_s", seconds_or_null(policy.period())}};
}

// Whether a command or the configuration has set it, when and by which user, and what the configuration
// says.
void add_origin(const SettingOrigin& origin, const std::string& configured, const AnswerClock& clock,
                json& answer) {
  answer["source"] = origin.by ? "command" : "configuration";
  answer["by_uid"] = origin.by ? json(*origin.by) : json();
  answer["since"] = iso_time(origin.since, clock);
  answer["configured"] = configured;
}

json jobs_by_state(const CoreState& state) {
  std::map<JobState, std::uint32_t> counts;
  for (const auto& [id, record] : state.records)
    if (const Job* job = planned_or_leaving(state, id)) ++counts[job_state(*job, record)];
  json out = json::object();
  for (const JobState s : all_job_states())
    if (s < JobState::completed) out[std::string(word(s))] = counts[s];
  return out;
}

// Null while the CPU of the node is unknown.
const Node* reference_node(const ClusterView& view, const Settings& settings) {
  if (settings.nodes.empty()) return nullptr;
  const std::string& name =
      settings.reference_node.empty() ? settings.nodes.front().name : settings.reference_node;
  const auto found =
      std::find_if(view.nodes.begin(), view.nodes.end(), [&](const Node& n) { return n.name == name; });
  return found == view.nodes.end() || found->capacity.raw <= 0 ? nullptr : &*found;
}

// The least and the mean yield of the jobs that are placed.
void add_yields(const CoreState& state, json& answer) {
  std::int64_t least = kMillion, sum = 0, count = 0;
  for (const auto& [id, job] : state.view.jobs) {
    if (job.phase != Phase::running) continue;
    least = std::min(least, job.yield.raw);
    sum += job.yield.raw;
    ++count;
  }
  answer["yield_min"] = count > 0 ? json(ratio({least})) : json();
  answer["yield_mean"] = count > 0 ? json(ratio({sum / count})) : json();
}

}  // namespace

std::string node_list_answer(const CoreState& state, const AnswerClock& clock, const NodeSource& source,
                             const PowerFacts& power) {
  const std::vector<Load> all = loads(state.view);
  json nodes = json::array();
  const FreeDevices free = free_devices(state.view);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Node& node = state.view.nodes[i];
    if (is_gone(state, node, all[i], source)) continue;
    nodes.push_back(node_row(state, node, all[i], free, clock));
    add_next_window(state, node.id, clock, nodes.back());
    if (source) nodes.back()["source"] = source(node.name);
    add_power(power, node.id, nodes.back());
  }
  return to_line({{"nodes", std::move(nodes)}});
}

std::string node_change_answer(const std::string& node, const std::string& done, bool dry_run,
                               const std::vector<JobId>& jobs) {
  json numbers = json::array();
  for (const JobId job : jobs) numbers.push_back(job.raw);
  return to_line({{"node", node}, {"done", done}, {"dry_run", dry_run}, {"jobs", std::move(numbers)}});
}

Error no_such_node(const CoreState& state, const std::string& node) {
  std::vector<std::string> names;
  for (const Node& known : state.view.nodes) names.push_back(known.name);
  if (names.size() > 20) names.resize(20);
  return {ErrorKind::not_found, "there is no node " + in_quotes(node) + did_you_mean(node, names) +
                                    "; known are " + comma_list(names)};
}

Result<std::string> node_show_answer(const CoreState& state, const std::string& name, const Sight& sight,
                                     const AnswerClock& clock, const NodeSource& source,
                                     const PowerFacts& power, const std::vector<DrainRow>& drained) {
  const std::vector<Load> all = loads(state.view);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Node& node = state.view.nodes[i];
    if (node.name != name || is_gone(state, node, all[i], source)) continue;
    const FreeDevices free = free_devices(state.view);
    json answer = node_row(state, node, all[i], free, clock);
    add_next_window(state, node.id, clock, answer);
    if (source) answer["source"] = source(node.name);
    add_power(power, node.id, answer);
    answer["slots"] = slots_part(state.view, node, free);
    if (!answer["drain"].is_null()) answer["drain"]["jobs"] = rows_json(state, drained);
    answer["placed"] = json::array();
    for (const auto& [id, job] : state.view.jobs)
      for (const Share& share : job.placement)
        if (share.node == node.id)
          answer["placed"].push_back({{"job", id.raw},
                                      {"name", state.records.at(id).submission->name},
                                      {"tasks", share.units},
                                      {"cpus", in_cores(job.demand.need)},
                                      {"yield", ratio(job.yield)},
                                      {"memory_bytes", job.demand.memory.raw}});
    sight.limit(answer);
    return to_line(answer);
  }
  return tl::unexpected<Error>(no_such_node(state, name));
}

std::string policy_answer(Mode mode, const Policy& policy, const SettingOrigin& origin,
                          const std::string& configured, const AnswerClock& clock) {
  json answer = policy_part(policy);
  answer["mode"] = std::string(word(mode));
  add_origin(origin, configured, clock, answer);
  answer["known"] = json::array();
  for (const PolicyInfo& info : known_policies())
    answer["known"].push_back({{"name", info.name}, {"summary", info.summary}, {"source", info.source}});
  return to_line(answer);
}

std::string mode_answer(Mode mode, const SettingOrigin& origin, const std::string& configured,
                        const AnswerClock& clock) {
  constexpr const char* meaning[] = {"no decisions: what runs goes on, what waits waits",
                                     "decisions are made and shown, not carried out",
                                     "decisions are made and carried out"};
  json answer{{"mode", std::string(word(mode))}, {"meaning", meaning[static_cast<std::size_t>(mode)]}};
  add_origin(origin, configured, clock, answer);
  return to_line(answer);
}

std::string status_answer(const CoreState& state, const Policy& policy, const DaemonFacts& facts,
                          const AnswerClock& clock) {
  json answer = policy_part(policy);
  json nodes = json::object();
  for (const std::string_view name : words<NodeState>()) nodes[std::string(name)] = 0;
  for (const Node& node : state.view.nodes) ++nodes[std::string(word(node.state))].get_ref<std::int64_t&>();
  answer["version"] = facts.version;
  answer["cluster"] = facts.cluster;
  answer["epoch"] = facts.epoch;
  answer["up_s"] = to_seconds(facts.up);
  answer["resident_bytes"] = facts.resident_bytes;
  answer["replies_dropped"] = facts.replies_dropped;
  answer["last_event"] = facts.last_event;
  answer["now"] = iso_time(clock.now, clock);
  answer["steps"] = state.steps;
  answer["mode"] = std::string(word(state.mode));
  // Without jobs no tick is due.
  const bool ticks = state.view.next_tick && !state.view.jobs.empty();
  answer["next_decision_in_s"] = ticks ? json(to_seconds(*state.view.next_tick - clock.now)) : json();
  answer["nodes"] = std::move(nodes);
  answer["jobs"] = jobs_by_state(state);
  add_yields(state, answer);
  answer["motd"] = motd_part(state);
  return to_line(answer);
}

std::string hello_answer(const CoreState& state, const Settings& settings, const DaemonFacts& facts,
                         const Peer& peer, const std::vector<std::string>& accounts,
                         const std::optional<CopyUnderWay>& copying) {
  json reference;
  if (const Node* node = reference_node(state.view, settings))
    reference = {{"node", node->name}, {"cpu_microcores", node->capacity.raw}};
  json answer = {{"protocol", kProtocol},
                 {"version", facts.version},
                 {"cluster", facts.cluster},
                 {"epoch", facts.epoch},
                 {"methods", known_methods()},
                 {"events", settings.api.events},
                 {"reference", std::move(reference)},
                 {"limits",
                  {{"max_request_bytes", settings.api.max_request.raw},
                   {"max_tasks", settings.limits.max_tasks},
                   {"max_jobs", settings.limits.max_jobs},
                   {"max_stage_in_bytes", settings.limits.max_stage_in.raw},
                   {"file_roots", settings.files.roots}}},
                 {"you",
                  {{"uid", peer.uid},
                   {"may_submit", peer.may_submit},
                   {"is_operator", peer.is_operator},
                   {"accounts", accounts}}},
                 {"privacy", settings.api.privacy},
                 {"motd", motd_part(state)}};
  if (copying) answer["copying"] = {{"bytes", copying->done.raw}, {"of_bytes", copying->of.raw}};
  return to_line(answer);
}

std::string events_answer(const ClusterView& view, const std::vector<LoggedEvent>& events,
                          std::uint64_t after, std::size_t limit, const AnswerClock& clock,
                          const Sight& sight) {
  json rows = json::array();
  std::uint64_t last = after;
  for (const LoggedEvent& logged : events) {
    rows.push_back({{"sequence", logged.sequence},
                    {"at", iso_time(logged.at, clock)},
                    {"at_s", to_seconds(logged.at)},
                    {"job", logged.job ? json(logged.job->raw) : json()},
                    {"event", log_row(view, logged.json)}});
    last = logged.sequence;
  }
  sight.limit(rows);
  return to_line({{"events", std::move(rows)}, {"last", last}, {"more", events.size() >= limit}});
}

std::string done_answer(JobId job, const std::string& what) {
  return to_line({{"job", job.raw}, {"done", what}});
}

std::string logs_answer(std::uint64_t offset, std::size_t read, bool ended) {
  return to_line({{"offset", offset}, {"next", offset + read}, {"ended", ended}});
}

}  // namespace aliquot
