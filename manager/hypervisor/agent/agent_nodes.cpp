#include "manager/hypervisor/agent/agent_nodes.hpp"

#include <algorithm>

#include "manager/hypervisor/agent/node_parts.hpp"
#include "manager/hypervisor/task_files.hpp"

namespace aliquot::agent {
namespace {

// On top of the agent's own deadlines.
constexpr Duration kOnTheWay = seconds(10);

std::chrono::microseconds chrono_of(Duration duration) { return std::chrono::microseconds(duration.raw); }

// An agent knows nothing of others' VMs.
void keep_those_on(NodeId node, std::vector<VmSample>& samples) {
  std::erase_if(samples, [node](const VmSample& sample) { return sample.node != node; });
}

Duration since(AgentNodes::Clock::time_point then) {
  return {std::chrono::duration_cast<std::chrono::microseconds>(AgentNodes::Clock::now() - then).count()};
}

AgentNodes::Clock::time_point end_of_inspections(const HypervisorSettings& settings) {
  return AgentNodes::Clock::now() + chrono_of(settings.fast_deadline + kOnTheWay);
}

}  // namespace

AgentNodes::AgentNodes(const AgentHypervisorSetup& setup, ClosableSink& events, zmq::context_t& context,
                       Inbox& inbox)
    : setup_(setup),
      events_(events),
      context_(context),
      hosts_(setup.hosts_listener),
      max_output_(setup.max_output),
      inspections_(
          [this](const VmQuery& query, const Inspected& answer) { procedures_.answer(query, answer); },
          [this](const VmQuery& query) { return inspect_others(query); }),
      procedures_(Spool(setup.spool_dir), inbox,
                  {[this](NodeId node, Action action, std::shared_ptr<const JobSpec> spec) {
                     send_action(node, action, std::move(spec));
                   },
                   [this](Key key, NodeId node, const VmQuery& query) { look(key, node, query); },
                   [this](Key key) { pending_.take(key); },
                   [this](const Outcome& outcome) { events_.post(outcome); },
                   [this](const Inspected& answer) { events_.post(answer); },
                   [this](const VmQuery& query) { inspect({query}); },
                   [this](NodeId node) { return presence_of(node); },
                   [this](NodeId node, const VmMove& move, const std::shared_ptr<const JobSpec>& spec) {
                     prepare_move(node, move, *spec);
                   },
                   [this](NodeId node) {
                     return nodes_.contains(node) ? nodes_.at(node).settings.migrate_uri : "";
                   }}) {}

void AgentNodes::set_node(NodeId id, const NodeSettings& node, const std::string& host) {
  const auto key = parse_key(node.agent_key);
  if (!key) return events_.post(NodeChanged{id, NodeState::suspect, "agent_key: " + key.error().message});
  Entry& entry = nodes_[id];
  hosts_.set(id, node.name, host);
  const bool is_same = entry.connection && entry.settings.uri == node.uri &&
                       entry.settings.agent_key == node.agent_key && entry.settings.name == node.name &&
                       entry.settings.speed_ppm == node.speed_ppm &&
                       entry.settings.local_saves == node.local_saves;
  entry.settings = node;
  if (!is_same) connect(id, entry, *key);
}

void AgentNodes::connect(NodeId id, Entry& entry, const agent::Key& agent_key) {
  if (entry.connection) lost(id, "it is reached in another way now");
  Hello hello;
  hello.cluster = setup_.cluster;
  hello.epoch = setup_.epoch;
  hello.node = id;
  hello.name = entry.settings.name;
  hello.speed_ppm = entry.settings.speed_ppm;
  hello.max_output = max_output_;
  hello.calendar = setup_.calendar;
  AgentConnection::Listener listener{[this, id](const Welcome& welcome) { return admit(id, welcome); },
                                     [this, id](FromAgent message) { take(id, std::move(message)); },
                                     [this, id](const std::string& why) { lost(id, why); },
                                     [this, id] { reports_.message_refused(id); }};
  entry.connection.reset();
  entry.connection = std::make_unique<AgentConnection>(
      context_, setup_.keys, AgentConnection::Address{"tcp://" + agent_address(entry.settings), agent_key},
      std::move(hello), std::move(listener));
}

// Policies count on what the configuration says of the node.
Result<void> AgentNodes::admit(NodeId id, const Welcome& welcome) {
  const NodeSettings& node = nodes_.at(id).settings;
  if (welcome.saves == node.local_saves) return hosts_.admit(id, welcome.host);
  return fail(
      ErrorKind::refused,
      node.local_saves
          ? "its configuration has local_saves: on, and its agent no --saves: start the agent with "
            "--saves DIRECTORY, or write local_saves: off"
          : "its agent has --saves, and its configuration no local_saves: on: write it, or start the "
            "agent without --saves");
}

void AgentNodes::remove_node(NodeId id) {
  if (!nodes_.contains(id)) return;
  lost(id, "the node was removed");
  hosts_.remove(id);
  nodes_.erase(id);
}

void AgentNodes::write_off(NodeId id, bool is_off) {
  const auto at = nodes_.find(id);
  if (at == nodes_.end() || at->second.is_off == is_off) return;
  at->second.is_off = is_off;
  if (!is_off) return;
  inspections_.lost(id, true);
  at->second.connection->begin_session("the node was off");
}

void AgentNodes::set_max_output(Memory limit) {
  max_output_ = limit;
  for (auto& [id, entry] : nodes_) entry.connection->send(SetMaxOutput{limit});
}

void AgentNodes::perform(const Action& action, const std::shared_ptr<const JobSpec>& spec) {
  if (auto refused = refusal(action, spec.get())) return events_.post(std::move(*refused));
  if (!procedures_.begin(action, spec)) send_parts(action, spec);
}

Presence AgentNodes::presence_of(NodeId node) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return Presence::unknown;
  return found->second.is_off ? Presence::off : Presence::known;
}

void AgentNodes::send_parts(const Action& action, const std::shared_ptr<const JobSpec>& spec) {
  const TaskRun& tasks = head(action).tasks;
  for (std::uint32_t at = 0; at < tasks.count;) {
    const NodeId node = node_of(action, *spec, at);
    std::uint32_t end = at + 1;
    while (end < tasks.count && node_of(action, *spec, end) == node) ++end;
    send_action(node, part_of(action, tasks.first + at, end - at, node), spec);
    at = end;
  }
}

void AgentNodes::send_action(NodeId node, const Action& action, std::shared_ptr<const JobSpec> spec) {
  const ActionHead& what = head(action);
  const auto at = nodes_.find(node);
  const bool can_be = at != nodes_.end() && !at->second.is_off;
  // Noted first: a connection that takes no more messages gives up all that is under way.
  const auto pending = pending_on(node, what.job, deadline_of(action, setup_.hypervisor));
  for (std::uint32_t i = 0; i < what.tasks.count; ++i)
    pending_.add({what.op, what.tasks.first + i}, pending);
  const std::uint64_t message = can_be ? at->second.connection->send(Perform{{action}, *spec}) : 0;
  for (std::uint32_t i = 0; i < what.tasks.count; ++i) {
    const Key key{what.op, what.tasks.first + i};
    pending_.asked_by(key, message);
    if (!can_be) finish(key, what.job, Error{ErrorKind::unavailable, "its node is not connected"});
  }
}

void AgentNodes::prepare_move(NodeId node, VmMove move, const JobSpec& spec) {
  const auto at = nodes_.find(node);
  if (at == nodes_.end() || at->second.is_off) return;
  if (!move.to_uri.empty()) move.bandwidth = setup_.hypervisor.migration_bandwidth;
  at->second.connection->send(PrepareMove{std::move(move), spec});
}

// Of a move: answered as a part of it.
void AgentNodes::look(Key key, NodeId node, const VmQuery& query) {
  const auto at = nodes_.find(node);
  pending_.add(key, pending_on(node, query.job, setup_.hypervisor.fast_deadline));
  if (at != nodes_.end() && !at->second.is_off)
    at->second.connection->send(Inspect{{query}});
  else
    finish(key, query.job, Error{ErrorKind::unavailable, "its node is not connected"});
}

PendingActions::Pending AgentNodes::pending_on(NodeId node, JobId job, Duration deadline) {
  const auto now = Clock::now();
  return {job, node, now, now + chrono_of(deadline + kOnTheWay)};
}

void AgentNodes::finish(Key key, JobId job, std::optional<Error> error) {
  const auto pending = pending_.take(key);
  if (!pending) return;
  if (procedures_.has(key)) return procedures_.done(key, std::move(error));
  post_outcome(key, job, std::move(error), since(pending->begun), {});
}

void AgentNodes::post_outcome(Key key, JobId job, std::optional<Error> error, Duration took,
                              Duration stall) {
  events_.post(Outcome{key.first, job, {key.second, 1}, std::move(error), took, stall});
}

void AgentNodes::took_outcome(NodeId node, const Outcome& outcome) {
  for (std::uint32_t i = 0; i < outcome.tasks.count; ++i) {
    const Key key{outcome.op, outcome.tasks.first + i};
    if (pending_.node_of(key) != node) continue;  // it came too late
    if (procedures_.has(key))
      finish(key, outcome.job, outcome.error);
    else if (pending_.take(key))
      post_outcome(key, outcome.job, outcome.error, outcome.took, outcome.stall);
  }
}

void AgentNodes::inspect(const std::vector<VmQuery>& queries) {
  std::map<NodeId, Inspect> asked;
  for (const VmQuery& query : queries) {
    const bool is_everywhere = query.nodes.empty() || (query.exists && query.was_moved);
    AgentInspections::Asked nodes{{}, true, end_of_inspections(setup_.hypervisor)};
    const auto ask = [&](NodeId id, const Entry& entry) {
      // A silent node is waited for where the VM is said to be, or has been moved by others.
      const bool is_waited_for = !query.nodes.empty() || query.was_moved;
      if (entry.is_off || !(is_waited_for || entry.connection->is_up(Clock::now()))) return;
      nodes.nodes.insert(id);
      asked[id].queries.push_back(query);
    };
    for (const NodeId node : query.nodes) {
      const auto known = nodes_.find(node);
      nodes.all = nodes.all && known != nodes_.end();
      if (known != nodes_.end() && !is_everywhere) ask(node, known->second);
    }
    if (is_everywhere)
      for (const auto& [id, entry] : nodes_) ask(id, entry);
    inspections_.begin(query, std::move(nodes), is_everywhere);
  }
  for (const auto& [node, message] : asked) nodes_.at(node).connection->send(message);
}

// A silent node may have the VM, and is not waited for.
AgentInspections::Asked AgentNodes::inspect_others(const VmQuery& query) {
  AgentInspections::Asked others{{}, true, end_of_inspections(setup_.hypervisor)};
  for (const auto& [id, entry] : nodes_) {
    if (entry.is_off || std::ranges::count(query.nodes, id) > 0) continue;
    if (!entry.connection->is_up(Clock::now())) {
      others.all = false;
      continue;
    }
    others.nodes.insert(id);
    entry.connection->send(Inspect{{query}});
  }
  return others;
}

AgentNodes::Entry* AgentNodes::find_to_ask(NodeId node, const Answered& answered) {
  const auto at = nodes_.find(node);
  if (at != nodes_.end() && at->second.connection->is_up(Clock::now())) return &at->second;
  answered(fail(ErrorKind::unavailable, at == nodes_.end() ? "there is no such node"
                                                           : "node " + at->second.settings.name + ": " +
                                                                 at->second.connection->why_not()));
  return nullptr;
}

void AgentNodes::ask(NodeId node, Subject subject, std::string vm, Answered answered) {
  Entry* entry = find_to_ask(node, answered);
  if (entry == nullptr) return;
  entry->questions[++last_question_] = std::move(answered);
  entry->connection->send(Question{last_question_, subject, std::move(vm)});
}

void AgentNodes::open_terminal(const TerminalTarget& target, std::shared_ptr<TerminalLine> line,
                               Answered answered) {
  Entry* entry = find_to_ask(target.node, answered);
  if (entry == nullptr) return;
  line->number = ++last_question_;
  terminals_.add(target.node, std::move(line));
  entry->questions[last_question_] = std::move(answered);
  entry->connection->send(OpenTerminal{last_question_, target.job, target.task, target.incarnation});
}

void AgentNodes::tell_terminal(const TerminalLine& line, ToTerminal message) {
  const auto node = terminals_.node_of(line.number);
  if (!node) return;
  message.terminal = line.number;
  nodes_.at(*node).connection->send(message);
  if (message.closes) terminals_.remove(line.number);
}

void AgentNodes::forget(JobId job) {
  procedures_.forget(job);
  for (auto& [id, entry] : nodes_) {
    // One with local saves is told later: no other node can remove those.
    const bool is_told = entry.settings.local_saves || entry.connection->is_up(Clock::now());
    if (!entry.is_off && is_told) entry.connection->send(Forget{job});
  }
}

// Asked again by the caller, which sees that nothing has changed: a silent agent need not hear it later.
void AgentNodes::set_balloon(const VmBalloon& balloon) {
  const auto at = nodes_.find(balloon.node);
  if (at == nodes_.end() || at->second.is_off || !at->second.connection->is_up(Clock::now())) return;
  at->second.connection->send(SetBalloon{balloon.job, balloon.task, balloon.incarnation, balloon.memory});
}

// The agent may answer again, in the same session.
void AgentNodes::end_terminals(NodeId node, Entry& entry) {
  for (const std::uint64_t number : terminals_.end_on(node, entry.connection->why_not()))
    entry.connection->send(ToTerminal{.terminal = number, .closes = true});
}

void AgentNodes::take(NodeId node, FromAgent message) {
  Entry& entry = nodes_.at(node);
  if (auto* happened = std::get_if<Happened>(&message)) return take(node, std::move(happened->event));
  if (auto* departed = std::get_if<Departed>(&message); departed != nullptr && departures_) {
    keep_those_on(node, departed->samples);
    return events_.while_open([&] { departures_(node, std::move(departed->samples)); });
  }
  if (auto* surveyed = std::get_if<Surveyed>(&message); surveyed != nullptr && setup_.on_survey)
    return events_.while_open([&] { setup_.on_survey(node, std::move(surveyed->survey)); });
  if (const auto* held = std::get_if<HeldByOther>(&message)) reports_.held_by_other(node, held->held);
  if (const auto* refused = std::get_if<EpochsRefused>(&message))
    reports_.epochs_refused(node, refused->count);
  if (auto* terminal = std::get_if<FromTerminal>(&message)) terminals_.take(node, std::move(*terminal));
  if (auto* answer = std::get_if<Answer>(&message)) {
    const auto asked = entry.questions.find(answer->number);
    if (asked == entry.questions.end()) return;
    const Answered answered = std::move(asked->second);
    entry.questions.erase(asked);
    keep_those_on(node, answer->samples);
    events_.while_open([&] {
      answered(answer->error ? Result<Answer>(tl::unexpected(*answer->error))
                             : Result<Answer>(std::move(*answer)));
    });
  }
}

// An agent reports what its backend does. Whatever else it might say is not its business.
void AgentNodes::take(NodeId node, Event event) {
  Entry& entry = nodes_.at(node);
  if (const auto* outcome = std::get_if<Outcome>(&event)) return took_outcome(node, *outcome);
  if (const auto* fact = std::get_if<Inspected>(&event)) {
    if (!procedures_.found(node, *fact)) inspections_.found(node, *fact);
    return;
  }
  if (auto* changed = std::get_if<NodeChanged>(&event)) {
    changed->node = node;
    entry.word.said(std::move(*changed));
    return report(node, entry);
  }
  if (std::holds_alternative<TaskEnded>(event) || std::holds_alternative<ForeignMove>(event))
    events_.post(std::move(event));
}

void AgentNodes::lost(NodeId node, const std::string& why) {
  Entry& entry = nodes_.at(node);
  entry.word.session_lost();
  for (const auto& [key, what] : pending_.on(node))
    finish(key, what.job,
           Error{ErrorKind::timeout, "node " + entry.settings.name + ": " + why +
                                         ", what came of it is unclear until inspected"});
  inspections_.lost(node, entry.is_off);
  terminals_.end_on(node, why);  // the agent has closed them with the session
  auto questions = std::move(entry.questions);
  entry.questions.clear();
  for (const auto& question : questions)
    events_.while_open(
        [&] { question.second(fail(ErrorKind::unavailable, "node " + entry.settings.name + ": " + why)); });
  report(node, entry);
}

void AgentNodes::report(NodeId id, Entry& entry) {
  if (auto news = entry.word.news(id, *entry.connection, Clock::now())) events_.post(std::move(*news));
}

std::vector<AgentConnection*> AgentNodes::connections() {
  std::vector<AgentConnection*> all;
  for (auto& [id, entry] : nodes_)
    if (entry.connection) all.push_back(entry.connection.get());
  return all;
}

void AgentNodes::greet() {
  for (auto& [id, entry] : nodes_) entry.connection->greet();
}

void AgentNodes::every_second() {
  const auto now = Clock::now();
  for (auto& [id, entry] : nodes_) {
    entry.connection->every_second(now);
    if (!entry.connection->is_up(now)) end_terminals(id, entry);
    report(id, entry);
  }
  for (const auto& [key, what] : pending_.overdue(now)) {
    const auto at = nodes_.find(what.node);
    if (at != nodes_.end()) at->second.connection->withdraw(what.message);
    finish(key, what.job, Error{ErrorKind::timeout, "no answer of the node's agent in time"});
  }
  inspections_.every_second(now);
}

}  // namespace aliquot::agent
