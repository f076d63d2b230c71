// A connection of a ZmtpServer: what it has sent, and what it has still to read.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "manager/api/wire/auth.hpp"
#include "manager/api/wire/message_reader.hpp"
#include "manager/keys/curve_session.hpp"

namespace aliquot {

using ConnectionId = std::uint64_t;  // never used again

struct ZmtpMessage {
  ConnectionId from = 0;
  std::vector<MessageReader::Frame> frames;
};

// What the connections of a user are together.
struct ZmtpUser {
  std::size_t connections = 0;
  std::size_t unsent = 0;
};

struct ZmtpConnection {
  using Clock = std::chrono::steady_clock;

  // With keys of the server, it speaks CURVE.
  ZmtpConnection(int socket, Result<Credentials> who, MessageReader::Bounds bounds, const CurveKeys* keys)
      : fd(socket),
        peer(std::move(who)),
        curve(keys ? std::make_unique<CurveSession>(*keys) : nullptr),
        reader(bounds, curve.get()) {}

  // What it sent in a second before this one does not count.
  void count(std::size_t bytes);
  // The bytes of a message to it.
  [[nodiscard]] std::string encode(const std::vector<std::string>& frames);

  int fd;
  Result<Credentials> peer;
  std::string address;  // of a remote client
  std::uint32_t uid = 0;
  std::unique_ptr<CurveSession> curve;
  MessageReader reader;
  std::deque<std::string> out;
  std::size_t sent = 0;  // of out.front()
  std::size_t unsent = 0;
  Clock::time_point waits_since;  // for the rest of greeting or message
  Clock::time_point read_at;      // when the peer last read something, or there was nothing to read
  std::uint64_t heard = 0;
  Clock::time_point second;  // the start of the second in which it sent `lately`
  std::size_t lately = 0;    // bytes; each message counts for some
  bool queued = false;       // for its turn
  bool ended = false;        // by the peer
  std::uint32_t events = 0;
};

}  // namespace aliquot
