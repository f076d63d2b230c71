// The manager's end of the connection to one node's agent: opens a session, keeps it over lost connections,
// and opens a new one where the agent has lost it. Belongs to one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <zmq.hpp>

#include "manager/hypervisor/agent/agent_wire.hpp"
#include "manager/hypervisor/agent/curve_sockets.hpp"
#include "manager/hypervisor/agent/keys.hpp"
#include "manager/hypervisor/agent/sequenced_link.hpp"

namespace aliquot::agent {

class AgentConnection {
 public:
  using Clock = std::chrono::steady_clock;
  struct Address {
    std::string endpoint;  // "tcp://n1.example.org:9760"
    Key key{};             // the agent's public key
    friend bool operator==(const Address&, const Address&) = default;
  };
  struct Listener {
    // The session is open. An error: the agent is not to be used; it is tried again.
    std::function<Result<void>(const Welcome&)> opened;
    std::function<void(FromAgent)> said;
    // The session is over: what was not answered will not be. A new one has begun.
    std::function<void(const std::string& why)> lost;
    // A message of the agent was not understood.
    std::function<void()> refused;
  };

  // `hello.session` is chosen here.
  AgentConnection(zmq::context_t& context, const KeyPair& own, Address address, Hello hello,
                  Listener listener);

  [[nodiscard]] const Address& address() const { return address_; }
  [[nodiscard]] zmq::socket_t& socket() { return socket_; }
  // Whether the agent answers now; if not, why.
  [[nodiscard]] bool is_up(Clock::time_point now) const;
  // Whether it may still open the session without having been waited for long.
  [[nodiscard]] bool is_opening(Clock::time_point now) const;
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  // Goes with the session, whenever that is open; the number names it for withdraw().
  std::uint64_t send(const ToAgent& message);
  void withdraw(std::uint64_t number) { link_.withdraw(number); }
  // Takes what has arrived.
  void read(Clock::time_point now);
  void transmit();
  // Four times a second: asks for a session that is not open yet.
  void greet();
  void every_second(Clock::time_point now);
  // Everything under way is given up.
  void begin_session(const std::string& why);

 private:
  void take(const Frames& frames, Clock::time_point now);
  void take_packet(const Numbered& packet, std::string message, Clock::time_point now);
  void refuse(const Error& why);

  const Address address_;
  const Listener listener_;
  zmq::socket_t socket_;
  Hello hello_;
  SequencedLink link_;
  bool is_open_ = false;
  bool is_refused_ = false;  // by the agent, or the manager does not want it
  std::string why_not_ = "its agent has not answered yet";
  Clock::time_point begun_ = Clock::now();  // the session
  Clock::time_point heard_;
};

}  // namespace aliquot::agent
