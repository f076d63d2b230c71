// The nodes that a manager reaches through agents, and what is under way on them. Belongs to one thread,
// the loop of AgentHypervisor.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manager/hypervisor/agent/agent_connection.hpp"
#include "manager/hypervisor/agent/agent_hypervisor.hpp"
#include "manager/hypervisor/agent/agent_inspections.hpp"
#include "manager/hypervisor/agent/agent_procedures.hpp"
#include "manager/hypervisor/agent/agent_reports.hpp"
#include "manager/hypervisor/agent/node_word.hpp"
#include "manager/hypervisor/agent/pending_actions.hpp"
#include "manager/hypervisor/agent/remote_terminals.hpp"
#include "manager/hypervisor/closable_sink.hpp"

namespace aliquot::agent {

using Answered = std::function<void(Result<Answer>)>;

class AgentNodes {
 public:
  using Clock = std::chrono::steady_clock;

  // `inbox`: the loop's, whose continuations it runs.
  AgentNodes(const AgentHypervisorSetup& setup, ClosableSink& events, zmq::context_t& context,
             Inbox& inbox);

  void set_node(NodeId id, const NodeSettings& node, const std::string& host);
  void remove_node(NodeId id);
  void write_off(NodeId id, bool is_off);
  void set_max_output(Memory limit);
  void set_departures(Hypervisor::SampleSink sink) { departures_ = std::move(sink); }

  void perform(const Action& action, const std::shared_ptr<const JobSpec>& spec);
  void inspect(const std::vector<VmQuery>& queries);
  // Answered once: by the agent, or with an error.
  void ask(NodeId node, Subject subject, std::string vm, Answered answered);
  void forget(JobId job);
  void set_balloon(const VmBalloon& balloon);
  // Answered once. If without an error, the line is that of the terminal from then on.
  void open_terminal(const TerminalTarget& target, std::shared_ptr<TerminalLine> line, Answered answered);
  // To the terminal of this line; the number is filled in here.
  void tell_terminal(const TerminalLine& line, ToTerminal message);

  // The connections, for the loop to wait for.
  [[nodiscard]] std::vector<AgentConnection*> connections();
  void greet();
  void every_second();
  [[nodiscard]] const AgentReports& reports() const { return reports_; }  // from any thread

 private:
  struct Entry {
    NodeSettings settings;
    std::unique_ptr<AgentConnection> connection;  // never null between two calls
    bool is_off = false;
    NodeWord word;
    std::map<std::uint64_t, Answered> questions;
  };
  using Key = PendingActions::Key;

  // Null, and `answered` knows why: it cannot be asked now.
  [[nodiscard]] Entry* find_to_ask(NodeId node, const Answered& answered);

  void connect(NodeId id, Entry& entry, const agent::Key& agent_key);
  [[nodiscard]] Result<void> admit(NodeId id, const Welcome& welcome);
  [[nodiscard]] AgentInspections::Asked inspect_others(const VmQuery& query);
  void look(Key key, NodeId node, const VmQuery& query);
  void prepare_move(NodeId node, VmMove move, const JobSpec& spec);
  void send_action(NodeId node, const Action& action, std::shared_ptr<const JobSpec> spec);
  void send_parts(const Action& action, const std::shared_ptr<const JobSpec>& spec);
  [[nodiscard]] Presence presence_of(NodeId node) const;
  [[nodiscard]] static PendingActions::Pending pending_on(NodeId node, JobId job, Duration deadline);
  void finish(Key key, JobId job, std::optional<Error> error);
  void post_outcome(Key key, JobId job, std::optional<Error> error, Duration took, Duration stall);
  void took_outcome(NodeId node, const Outcome& outcome);
  void take(NodeId node, Event event);
  void take(NodeId node, FromAgent message);
  void lost(NodeId node, const std::string& why);
  void end_terminals(NodeId node, Entry& entry);
  void report(NodeId id, Entry& entry);

  const AgentHypervisorSetup& setup_;
  ClosableSink& events_;
  zmq::context_t& context_;
  Hosts hosts_;
  Memory max_output_;
  Hypervisor::SampleSink departures_;
  std::map<NodeId, Entry> nodes_;
  PendingActions pending_;
  AgentInspections inspections_;
  std::uint64_t last_question_ = 0;
  RemoteTerminals terminals_;
  AgentReports reports_;
  AgentProcedures procedures_;  // last: it ends a thread of its own first
};

}  // namespace aliquot::agent
