// One session of an agent with a manager: the backend, and the link over which both speak. Belongs to the
// agent's loop; the backend calls back from other threads, through the inbox.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manager/background_tasks.hpp"
#include "manager/hypervisor/agent/agent_server.hpp"
#include "manager/hypervisor/agent/agent_wire.hpp"
#include "manager/hypervisor/agent/command_counts.hpp"
#include "manager/hypervisor/agent/node_terminals.hpp"
#include "manager/hypervisor/agent/sequenced_link.hpp"
#include "manager/inbox.hpp"

namespace aliquot::agent {

class AgentSession {
 public:
  // The error is the backend's.
  [[nodiscard]] static Result<std::shared_ptr<AgentSession>> open(Hello hello, Inbox& inbox,
                                                                  const OpenBackend& open_backend);

  [[nodiscard]] const Hello& hello() const { return hello_; }
  // What it has been told to do.
  [[nodiscard]] const CommandCounts& commands() const { return commands_; }
  // The error: why the message that the packet brought is not understood.
  [[nodiscard]] Result<void> take(Packet packet);
  // What to transmit now.
  [[nodiscard]] std::vector<Packet> take_outgoing() { return link_.take_outgoing(); }
  // Once a second: looks after the node, and repeats what was not acknowledged for long. `epochs_refused`:
  // as in AgentCounters.
  void every_second(std::uint64_t epochs_refused);
  // What is said when there is nothing to say.
  [[nodiscard]] Packet sign_of_life() { return link_.acknowledgement(); }

 private:
  explicit AgentSession(Hello hello) : hello_(std::move(hello)) {}
  void say(const FromAgent& message) { link_.send(encode(message)); }
  void take(Perform& message);
  void take(Inspect& message) { backend_->inspect(std::move(message.queries)); }
  void take(PrepareMove& message);
  void take(const Forget& message);
  void take(const SetMaxOutput& message) { backend_->set_max_output(message.limit); }
  void take(const SetBalloon& message);
  void take(const Question& message);
  void take(const OpenTerminal& message) { terminals_->open(message); }
  void take(const ToTerminal& message) { terminals_->take(message); }
  // Blocks.
  [[nodiscard]] Answer answer(const Question& question) const;

  const Hello hello_;
  std::function<void(FromAgent)> post_;  // from any thread
  SequencedLink link_;
  CommandCounts commands_;
  bool held_by_other_ = false;
  std::uint64_t epochs_refused_ = 0;
  std::unique_ptr<NodeHypervisor> backend_;
  std::unique_ptr<BackgroundTasks> tasks_;  // these end before the backend does
  std::unique_ptr<NodeTerminals> terminals_;
};

}  // namespace aliquot::agent
