// The job API's sockets: a ZeroMQ ROUTER for requests and a PUB for events, both local. Carries; knows no
// job: what a request means is the handler's business, when its answer is due too (once it is durable).
//
// No thread of its own: one loop waits for fd(), drains, answers. fd() is ZeroMQ's, edge-triggered: it may
// stay silent while messages wait, so ask pending() before sleeping on it. Every call is from that loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "config/settings.hpp"
#include "manager/api/wire/auth.hpp"
#include "manager/api/wire/protocol.hpp"

namespace aliquot {

// Where an answer goes: opaque to the daemon, may be kept as long as it likes.
struct ClientToken {
  std::string routing_id;
  std::string request_id;
  std::string ticket;  // to be handed out with this answer: that of `hello`
  bool delimited = false;
  std::string method;
  std::chrono::steady_clock::time_point received{};
};

// A request that was answered: "ok" or the error's name, and how long after it was read.
struct AnsweredRequest {
  std::string method;
  std::string code;
  Duration took;
};

struct Incoming {
  ClientToken client;
  Peer peer;
  RequestHeader header;
  Request request;
  std::string body_sha256;
};

struct ServerCounters {
  std::uint64_t received = 0;
  std::uint64_t malformed = 0;    // answered with what is wrong
  std::uint64_t turned_away = 0;  // no credentials, no ticket, too many in flight
  std::uint64_t replied = 0;
  std::uint64_t dropped_gone = 0;  // replies whose client had left
  std::uint64_t dropped_slow = 0;  // replies whose client does not read
  std::uint64_t published = 0;
};

class JobServer {
 public:
  // Binds both sockets, with mode and group as set. Errors: another manager runs, no such group or user,
  // a directory that cannot be had.
  [[nodiscard]] static Result<std::unique_ptr<JobServer>> open(const ApiSettings& settings);

  JobServer(const JobServer&) = delete;
  JobServer& operator=(const JobServer&) = delete;
  ~JobServer();  // sends what it can within a second, closes, removes the socket files

  [[nodiscard]] int fd() const;
  [[nodiscard]] bool pending() const;

  // Reads at most `at_most` requests. What is malformed or may not be asked is answered at once; the rest
  // goes to the handler, which owes each one reply(), now or later.
  using Handler = std::function<void(Incoming)>;
  void drain(const Handler& handler, std::size_t at_most = 256);
  // Called with every reply() from now on; not with what is answered at once.
  void on_answer(std::function<void(const AnsweredRequest&)> listener);
  // Never waits: an answer that its client does not take is dropped and counted.
  void reply(const ClientToken& client, const Reply& reply);

  // Frames: topic ("job.12.running"), sequence in decimal, one JSON object. Subscribers that do not keep up
  // miss some and ask `events` after the last they saw.
  void publish(const std::string& topic, std::uint64_t sequence, const std::string& json);

  void set_roles(Roles roles);
  [[nodiscard]] const ServerCounters& counters() const;

 private:
  struct Sockets;
  explicit JobServer(std::unique_ptr<Sockets> sockets);
  void take(Frames frames, int connection, const Handler& handler);
  void send(const std::string& routing_id, const Frames& frames);

  std::unique_ptr<Sockets> sockets_;
};

}  // namespace aliquot
