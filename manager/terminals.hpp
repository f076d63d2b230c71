// Handles the requests about terminals (`aliquot attach`): opens one on the VM of a task, and passes bytes
// to and fro. Belongs to the loop; nodes are asked on a thread of its own.
//
// A terminal belongs to the user who has opened it. It ends when it is closed, when nothing has been read
// from it for a minute, when another is opened on the same task, and when its VM stops or moves: a client
// may open it again where the VM is then. What runs in the guest goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "manager/api/wire/protocol.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/background_tasks.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/hypervisor/vm_terminal.hpp"
#include "manager/inbox.hpp"

namespace aliquot {

inline constexpr std::size_t kTerminalsOfUser = 4;
inline constexpr std::size_t kTerminals = 64;

class Terminals {
 public:
  using Answer = std::function<void(Reply)>;
  using Open = std::function<Result<std::unique_ptr<VmTerminal>>(const TerminalTarget&, TerminalListener)>;
  using Clock = std::chrono::steady_clock;
  struct Parts {  // all outlive this
    const Scheduler& scheduler;
    Inbox& inbox;
    Open open;  // blocks; called on another thread
    std::function<void(const std::string& line)> log;
  };
  explicit Terminals(Parts parts) : parts_(std::move(parts)), nodes_(parts_.inbox) {}

  void on(const Peer& peer, const Attach& request, const Answer& answer);
  // Answered when there is output, after some seconds without, or when the terminal has ended.
  void on(const Peer& peer, const TerminalRead& request, const Answer& answer);
  void on(const Peer& peer, const TerminalWrite& request, const Answer& answer);
  void on(const Peer& peer, const TerminalClose& request, const Answer& answer);

  void every_second(Clock::time_point now);

 private:
  struct Terminal {
    std::uint32_t uid = 0;
    JobId job;
    std::uint32_t task = 0;
    std::shared_ptr<VmTerminal> vm;  // null: it is being opened
    std::string output;              // not read yet
    std::optional<std::string> end;  // why it has ended
    Answer reader{};                 // waits for output
    Clock::time_point read;          // last
  };
  using Number = std::uint64_t;

  [[nodiscard]] Result<TerminalTarget> target_of(const Attach& request) const;
  // Errors: not_found, this user has no such terminal.
  [[nodiscard]] Result<Terminal*> find(const Peer& peer, Number number);
  void opened(Number number, Result<std::shared_ptr<VmTerminal>> vm, const Answer& answer);
  [[nodiscard]] TerminalListener listener_of(Number number);
  void hand_out(Terminal& terminal);
  void end(Number number, const std::string& why);
  // The node is asked to close it on the other thread.
  void release(Terminal& terminal);

  Parts parts_;
  Number last_ = 0;
  std::map<Number, Terminal> terminals_;
  BackgroundTasks nodes_;
};

// A request that is answered here.
template <class R>
concept TerminalRequest = requires(Terminals& terminals, const Peer& peer, const R& request,
                                   const Terminals::Answer& answer) {
  terminals.on(peer, request, answer);
};

}  // namespace aliquot
