// One end of a session between a manager and an agent: hands messages over in order and exactly once, over
// a connection that may lose, repeat or reorder packets (docs/agent-wire.md). Pure: what it returns is to
// be transmitted, and it is told when a second is over.
//
// Messages are numbered from 1. Each packet acknowledges all messages up to a number; a packet without a
// message acknowledges only. At most kWindow messages are on their way unacknowledged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace aliquot {

struct Packet {
  std::uint64_t number = 0;        // of its message; 0: it has none
  std::uint64_t acknowledged = 0;  // all messages of the receiver up to this one have arrived
  std::string message;
  friend bool operator==(const Packet&, const Packet&) = default;
};

class SequencedLink {
 public:
  static constexpr std::uint64_t kWindow = 256;
  static constexpr int kPatience = 3;

  // Returns the number of the message.
  std::uint64_t send(std::string message);
  // A message that is not acknowledged yet becomes empty, which its receiver passes over. It may have
  // arrived all the same.
  void withdraw(std::uint64_t number);
  // The message that the packet brings, if it is the next one; a packet that is repeated or comes too early
  // brings none. Empty messages are passed over.
  [[nodiscard]] std::optional<std::string> receive(Packet packet);
  // What to transmit now: messages that have not been transmitted, or an acknowledgement that is owed.
  [[nodiscard]] std::vector<Packet> take_outgoing();
  // A packet without a message.
  [[nodiscard]] Packet acknowledgement() const { return {0, received_, {}}; }
  // Once a second: what has not been acknowledged for kPatience seconds is to be transmitted again.
  void every_second();

  [[nodiscard]] std::size_t unacknowledged_bytes() const { return bytes_; }

 private:
  std::deque<std::string> unacknowledged_;
  std::size_t bytes_ = 0;           // of these
  std::size_t transmitted_ = 0;     // of these
  std::uint64_t acknowledged_ = 0;  // the number of the message before them
  std::uint64_t received_ = 0;
  bool owes_ = false;  // an acknowledgement
  int seconds_ = 0;    // since something was acknowledged, or transmitted again
};

}  // namespace aliquot
