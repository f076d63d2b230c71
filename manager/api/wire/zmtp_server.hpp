// A server of ZeroMQ clients on a socket whose memory is bounded whatever they do: it speaks ZMTP itself
// (zmtp.hpp), because a socket of libzmq bounds the number of messages and not their bytes, and not the
// frames of a message. It knows the user of every connection: of a local one by the kernel's word, of one
// over TCP by its key (CURVE), without which nothing else is read. Transport only.
//
// What a client cannot do: hold more connections, unsent answers or large frames in reading than its user's
// part; take longer than a limit to greet, to complete a message or to read an answer. A connection with
// many unsent bytes is not read. Errors of a client close its connection.
//
// Single-threaded and without waiting: fd() is readable when there is something to do, and next() does it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manager/api/wire/auth.hpp"
#include "manager/api/wire/byte_budget.hpp"
#include "manager/api/wire/listener.hpp"
#include "manager/api/wire/zmtp_connection.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct ZmtpServerLimits {
  std::size_t connections = 4096;  // above it, one of the user with the most is closed
  std::size_t of_user = 256;       // above it, the user's least recently heard one is closed for the newest
  std::size_t frame_bytes = 64U << 20;
  std::size_t frames = 8;                         // of a message
  std::size_t large_bytes_of_user = 65U << 20;    // of frames above 16 KiB in reading, or in use
  std::size_t large_bytes_in_all = 130U << 20;    // the same of all users
  std::size_t unsent_of_connection = 256U << 10;  // above these, is_reading() is false
  std::size_t unsent_of_user = 16U << 20;
  std::size_t unsent_in_all = 64U << 20;
  std::chrono::milliseconds to_greet{10'000};
  std::chrono::milliseconds to_complete{60'000};  // a message
  std::chrono::milliseconds to_read{30'000};      // until the next byte of an answer has been read
  std::uint32_t handshakes_per_s = 50;            // with CURVE: connections beyond it wait to be accepted
};

// For clients of other machines.
struct CurveEntrance {
  CurveKeys keys;  // of the server
  // Whose key it is; an error: it may not come in.
  std::function<Result<Credentials>(const CurveKey&)> admit;
  // A handshake failed: the client's address, and why.
  std::function<void(const std::string& address, const std::string& why)> refused;
};

// Why the server closed connections, or did not take them.
struct ZmtpServerCounters {
  std::uint64_t accepted = 0;
  std::uint64_t closed_crowded = 0;   // too many of the user, or in all
  std::uint64_t closed_overdue = 0;   // greeting or message did not come in time
  std::uint64_t closed_unread = 0;    // answers were not read in time
  std::uint64_t messages_unread = 0;  // of these connections
  std::uint64_t closed_invalid = 0;   // not ZMTP, or a frame beyond the limits
  std::uint64_t closed_refused = 0;   // with CURVE: the handshake failed, or the key may not come in
};

class ZmtpServer {
 public:
  using Frame = MessageReader::Frame;
  using Message = ZmtpMessage;

  // Takes a socket that is bound to `path` and listens. `socket_type` is what peers are told: ROUTER, PUB.
  // With an entrance it is a TCP socket, and no connection has a number up to `last_before`.
  ZmtpServer(int listening_socket, std::string path, std::string socket_type, ZmtpServerLimits limits,
             std::optional<CurveEntrance> entrance = {}, ConnectionId last_before = 0);
  ZmtpServer(const ZmtpServer&) = delete;
  ZmtpServer& operator=(const ZmtpServer&) = delete;
  ~ZmtpServer();

  [[nodiscard]] int fd() const { return epoll_; }
  // Messages may wait although fd() is not readable.
  [[nodiscard]] bool pending() const {
    return !ready_.empty() || !busy_.empty() || (!waiting_.empty() && budget_.held() < held_when_refused_);
  }
  // Reads and writes what can be, and returns the next message: of each connection in turn, and first of
  // those that have sent little in the last second.
  [[nodiscard]] std::optional<Message> next();
  // Called for every connection that was closed, by either side.
  void on_closed(std::function<void(ConnectionId)> listener) { closed_ = std::move(listener); }

  [[nodiscard]] bool is_open(ConnectionId id) const { return connections_.contains(id); }
  [[nodiscard]] const Result<Credentials>& peer(ConnectionId id) const { return connections_.at(id).peer; }
  // Does its user read what is sent? Else a long answer should wait.
  [[nodiscard]] bool is_reading(ConnectionId id) const;
  [[nodiscard]] std::size_t unsent(ConnectionId id) const { return connections_.at(id).unsent; }
  // To an open connection. Never waits; what cannot be written now is kept.
  void send(ConnectionId id, const std::vector<std::string>& frames);
  void close_invalid(ConnectionId id);
  void close_those(const std::function<bool(const Credentials&)>& are);
  // Waits at most so long until all is written.
  void flush(std::chrono::milliseconds patience);

  [[nodiscard]] std::size_t size() const { return connections_.size(); }
  [[nodiscard]] std::size_t unsent() const { return unsent_; }
  [[nodiscard]] std::size_t large_bytes() const { return budget_.held(); }
  [[nodiscard]] const ZmtpServerCounters& counters() const { return counters_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Connection = ZmtpConnection;
  using User = ZmtpUser;

  void poll_once();
  void accept_all();
  void take_connection(int fd);
  void let_in(ConnectionId id, Connection& connection);
  void refuse(ConnectionId id, const std::string& why);
  void evict_for(std::uint32_t uid);
  void evict_one();
  void evict_from(std::uint32_t uid);
  void drop(ConnectionId id);
  void drop(ConnectionId id, std::uint64_t& counter);
  bool read_some(ConnectionId id, Connection& connection);
  void write_some(ConnectionId id, Connection& connection);
  void write_out(ConnectionId id, Connection& connection, std::string bytes);
  void watch(ConnectionId id, Connection& connection);
  void queue(ConnectionId id, Connection& connection);
  std::optional<ConnectionId> next_turn();
  using Progress = MessageReader::Progress;
  Progress advance(ConnectionId id, Connection& connection);
  void close_overdue();

  const int epoll_;
  const std::string path_;
  const std::string socket_type_;
  const ZmtpServerLimits limits_;
  const std::optional<CurveEntrance> entrance_;
  Listener listener_;
  ByteBudget budget_;
  std::function<void(ConnectionId)> closed_;
  std::map<ConnectionId, Connection> connections_;
  std::map<std::uint32_t, User> users_;  // with connections
  std::deque<ConnectionId> ready_;       // may have a message in `in`; each here or in busy_, once
  std::deque<ConnectionId> busy_;        // the same, of those that have sent much lately
  std::deque<ConnectionId> waiting_;     // for a reservation
  std::size_t held_when_refused_ = 0;    // the bytes of the others then
  std::size_t until_poll_ = 0;           // turns until sockets are looked at again
  std::size_t unsent_ = 0;
  ConnectionId newest_ = 0;
  std::uint64_t clock_ = 0;
  Clock::time_point looked_at_deadlines_;
  ZmtpServerCounters counters_;
};

}  // namespace aliquot
