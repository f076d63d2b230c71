// ZeroMQ sockets that speak CURVE: what goes over them is encrypted, and each side knows that the other has
// the secret key of the public key it knows. The one file that sets their options.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "manager/hypervisor/agent/keys.hpp"

namespace aliquot::agent {

// The heads and the message of one ZeroMQ message, without the address of its sender.
struct Frames {
  std::string head;
  std::string message;
};

// Listens, for an agent.
[[nodiscard]] zmq::socket_t server_socket(zmq::context_t& context, const KeyPair& own);
// Connects to an agent with this public key, for a manager; ZeroMQ connects again and again.
[[nodiscard]] zmq::socket_t client_socket(zmq::context_t& context, const KeyPair& own, const Key& agent);

// Never waits; what cannot be taken now is dropped. `address`: of a peer, for a server.
void transmit(zmq::socket_t& socket, const std::optional<std::string>& address, const Frames& frames);
// Never waits. None: nothing is there. A message with a wrong number of frames has an empty head.
struct Received {
  std::string address;  // of its sender, for a server
  Frames frames;
};
[[nodiscard]] std::optional<Received> receive(zmq::socket_t& socket, bool is_server);

// Admits to the servers of a context the clients whose public keys are listed (ZAP, RFC 27), on a thread of
// its own; the others are counted and never get a message through. To be made before the first server
// listens. The context must be shut down before this is destroyed.
class KeyCheck {
 public:
  KeyCheck(zmq::context_t& context, std::vector<Key> admitted);
  ~KeyCheck();
  KeyCheck(const KeyCheck&) = delete;
  KeyCheck& operator=(const KeyCheck&) = delete;
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  void answer_all();
  [[nodiscard]] bool admits(const std::vector<zmq::message_t>& request) const;

  const std::vector<Key> admitted_;
  zmq::socket_t socket_;
  std::atomic<std::uint64_t> refused_{0};
  std::thread thread_;
};

}  // namespace aliquot::agent
