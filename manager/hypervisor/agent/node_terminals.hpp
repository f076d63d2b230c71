// The terminals that a manager has open on the VMs of this node, at the agent's end.
//
// What is typed waits here while the guest reads nothing; the manager sends no more than kMostTerminalBytes
// before it hears that they are on their way. Thread-safe; VMs are asked on a thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "manager/background_tasks.hpp"
#include "manager/hypervisor/agent/agent_wire.hpp"
#include "manager/hypervisor/vm_terminal.hpp"

namespace aliquot::agent {

class NodeTerminals {
 public:
  using Open = std::function<Result<std::unique_ptr<VmTerminal>>(const TerminalTarget&, TerminalListener)>;
  struct Parts {
    NodeId node;
    Open open;                           // blocks
    std::function<void(FromAgent)> say;  // to the manager; from any thread
    Inbox& inbox;                        // the agent's
  };
  explicit NodeTerminals(Parts parts) : parts_(std::move(parts)), tasks_(parts_.inbox) {}

  void open(const OpenTerminal& asked);
  void take(const ToTerminal& message);
  // Tries again to hand on what the guests have not taken.
  void every_second();

 private:
  using Number = std::uint64_t;
  struct Terminal {
    std::shared_ptr<VmTerminal> vm{};  // null: it is being opened
    std::string typed{};               // not handed on yet
  };

  [[nodiscard]] TerminalListener listener_of(Number number) const;
  void open_on_vm(const OpenTerminal& asked);
  void hand_on(Number number, Terminal& terminal);
  void release(std::shared_ptr<VmTerminal> vm);

  const Parts parts_;
  std::mutex mutex_;
  std::map<Number, Terminal> terminals_;
  BackgroundTasks tasks_;  // last: its tasks refer to all of these
};

}  // namespace aliquot::agent
