// The agent of a node: hosts a hypervisor backend and does for one manager at a time what the port says
// (hypervisor.hpp). It knows no policy and holds no truth: what runs is asked of the hypervisor. VMs
// outlive the agent as they outlive the manager. All it keeps is the highest epoch of each cluster's
// manager.
//
// For each session with a manager the backend is opened anew, as it is when a manager on this machine
// starts: it finds its VMs again. A session outlives its connection. docs/agent-wire.md has the protocol.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manager/hypervisor/agent/agent_wire.hpp"
#include "manager/hypervisor/agent/command_counts.hpp"
#include "manager/hypervisor/agent/keys.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "policies/model/error.hpp"

namespace aliquot::agent {

// What the backend tells beside outcomes of what it was asked; may be called on any thread.
struct BackendSinks {
  Hypervisor::Sink events;
  std::function<void(NodeSurvey)> surveys;
};
// Opens the backend of a session. Its one node is hello.node.
using OpenBackend =
    std::function<Result<std::unique_ptr<NodeHypervisor>>(const Hello& hello, BackendSinks sinks)>;

struct AgentSetup {
  std::string endpoint;       // "tcp://127.0.0.1:9760"; port *: a free one
  KeyPair keys;               // its own
  std::vector<Key> managers;  // public keys of the managers that may command it
  std::string backend;        // "libxl", "libvirt"
  std::string host;           // UUID of the machine; empty: not known
  std::string version;        // of the program
  std::string epochs;         // file: epochs_heard.hpp; empty: they are forgotten when the agent ends
  bool saves = false;         // paused VMs go to a disk of the machine
  std::function<void(const std::string&)> say = [](const std::string&) {};  // a line of its log
  std::function<void()> alive = [] {};  // called about once a second while it serves
};

struct AgentCounters {
  std::uint64_t keys_refused = 0;
  std::uint64_t messages_refused = 0;  // not understood, or of no session
  std::uint64_t sessions = 0;
  std::uint64_t sessions_refused = 0;
  std::uint64_t epochs_refused = 0;    // sessions and commands of managers whose epoch is over
  std::uint64_t commands_refused = 0;  // of sessions that have ended
  CommandCounts late;                  // of these, to VMs, after a later epoch began
};

class AgentServer {
 public:
  // Listens. Errors: the endpoint cannot be had, or the file of epochs is not understood.
  [[nodiscard]] static Result<std::unique_ptr<AgentServer>> open(AgentSetup setup,
                                                                 OpenBackend open_backend);
  ~AgentServer();

  // As it listens: with the port.
  [[nodiscard]] const std::string& endpoint() const;
  // Serves until `stop` (a file descriptor) becomes readable. VMs run on.
  void run(int stop);
  // On the thread of run(), or when it has returned.
  [[nodiscard]] AgentCounters counters() const;

 private:
  class Loop;
  explicit AgentServer(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace aliquot::agent
