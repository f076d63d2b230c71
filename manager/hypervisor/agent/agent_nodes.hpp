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
#include "manager/hypervisor/agent/agent_destructions.hpp"
#include "manager/hypervisor/agent/agent_hypervisor.hpp"
#include "manager/hypervisor/agent/agent_inspections.hpp"
#include "manager/hypervisor/agent/agent_moves.hpp"
#include "manager/hypervisor/agent/agent_reports.hpp"
#include "manager/hypervisor/agent/cap_memory.hpp"
#include "manager/hypervisor/agent/node_word.hpp"
#include "manager/hypervisor/agent/pending_actions.hpp"
#include "manager/hypervisor/closable_sink.hpp"
#include "manager/hypervisor/spool.hpp"

namespace aliquot::agent {

using Answered = std::function<void(Result<Answer>)>;

class AgentNodes {
 public:
  using Clock = std::chrono::steady_clock;

  AgentNodes(const AgentHypervisorSetup& setup, ClosableSink& events, zmq::context_t& context);

  void set_node(NodeId id, const NodeSettings& node, const std::string& host);
  void remove_node(NodeId id);
  void write_off(NodeId id, bool is_off);
  void set_max_output(Memory limit);
  void set_departures(Hypervisor::SampleSink sink) { departures_ = std::move(sink); }

  void perform(const Action& action, std::shared_ptr<const JobSpec> spec);
  void inspect(const std::vector<VmQuery>& queries);
  // Answered once: by the agent, or with an error.
  void ask(NodeId node, Subject subject, std::string vm, Answered answered);
  void forget(JobId job);

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

  void connect(NodeId id, Entry& entry, const agent::Key& agent_key);
  void look(Key key, NodeId node, const VmQuery& query);
  void send_action(NodeId node, const Action& action, std::shared_ptr<const JobSpec> spec);
  void send_parts(const Action& action, const std::shared_ptr<const JobSpec>& spec);
  void move_finished(Key key, JobId job, std::optional<Error> error);
  void answer_inspection(const VmQuery& query, const Inspected& answer);
  void destroy(const Destroy& destroy, const std::shared_ptr<const JobSpec>& spec);
  void abort(const Abort& abort, const std::shared_ptr<const JobSpec>& spec);
  [[nodiscard]] static PendingActions::Pending pending_on(NodeId node, JobId job, Duration deadline);
  void finish(Key key, JobId job, std::optional<Error> error);
  void post_outcome(Key key, JobId job, std::optional<Error> error, Duration took, Duration stall);
  void took_outcome(NodeId node, const Outcome& outcome);
  void take(NodeId node, Event event);
  void take(NodeId node, FromAgent message);
  void lost(NodeId node, const std::string& why);
  void report(NodeId id, Entry& entry);

  const AgentHypervisorSetup& setup_;
  ClosableSink& events_;
  zmq::context_t& context_;
  const Spool spool_;
  Hosts hosts_;
  Memory max_output_;
  Hypervisor::SampleSink departures_;
  std::map<NodeId, Entry> nodes_;
  PendingActions pending_;
  std::map<Key, Clock::time_point> moves_begun_;
  std::map<Key, VmQuery> resumed_;  // moves of an earlier start, and the questions after their VMs
  CapMemory caps_;
  AgentInspections inspections_;
  AgentMoves moves_;
  AgentDestructions destructions_;
  std::uint64_t last_question_ = 0;
  AgentReports reports_;
};

}  // namespace aliquot::agent
