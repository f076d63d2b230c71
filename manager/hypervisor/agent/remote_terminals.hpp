// Terminals on VMs of nodes that are reached through agents, at the manager's end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "manager/hypervisor/agent/agent_wire.hpp"
#include "manager/hypervisor/vm_terminal.hpp"

namespace aliquot::agent {

// Between its owner and the loop of AgentHypervisor. Thread-safe, but for `number`.
class TerminalLine {
 public:
  explicit TerminalLine(TerminalListener listener) : listener_(std::move(listener)) {}

  std::uint64_t number = 0;  // the loop's

  // The listener is told, until it is closed.
  void output(std::string bytes);
  void end(const std::string& why);
  // No callback runs after this.
  void close();
  // False: so much is on its way to the agent already that this must wait.
  [[nodiscard]] bool may_type(std::size_t bytes);
  void taken(std::size_t bytes);

 private:
  std::mutex mutex_;
  const TerminalListener listener_;
  bool is_closed_ = false;
  std::size_t on_the_way_ = 0;  // bytes that were typed
};

// As its owner has it.
class RemoteTerminal final : public VmTerminal {
 public:
  // `tell`: the agent; from any thread.
  RemoteTerminal(std::shared_ptr<TerminalLine> line, std::function<void(ToTerminal)> tell)
      : line_(std::move(line)), tell_(std::move(tell)) {}
  ~RemoteTerminal() override;

  void read_on() override { tell_({.reads = true}); }
  [[nodiscard]] bool write(std::string_view bytes) override;

 private:
  const std::shared_ptr<TerminalLine> line_;
  const std::function<void(ToTerminal)> tell_;
};

// Those that are open, by number. Belongs to the loop.
class RemoteTerminals {
 public:
  void add(NodeId node, std::shared_ptr<TerminalLine> line);
  // None: it has ended.
  [[nodiscard]] std::optional<NodeId> node_of(std::uint64_t number) const;
  void remove(std::uint64_t number) { terminals_.erase(number); }
  void take(NodeId node, FromTerminal message);
  // All on this node end; their numbers.
  std::vector<std::uint64_t> end_on(NodeId node, const std::string& why);

 private:
  struct Terminal {
    NodeId node;
    std::shared_ptr<TerminalLine> line;
  };
  std::map<std::uint64_t, Terminal> terminals_;
};

}  // namespace aliquot::agent
