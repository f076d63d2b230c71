// The sockets of the job API: one for requests, which ZeroMQ clients take for a ROUTER, and one for events,
// a PUB. Both are local; clients of other machines have the same two over TCP, if the settings say so, with
// keys. Requests that came over HTTP with a token are handed in (take_web). All are bounded whatever
// clients do (zmtp_server.hpp). Transport only: the handler interprets a request and decides when to answer
// it (when its effect is durable).
//
// Single-threaded: one loop waits for fd(), drains the requests and replies. Check pending() before
// sleeping on fd().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "config/settings.hpp"
#include "manager/api/wire/auth.hpp"
#include "manager/api/wire/key_book.hpp"
#include "manager/api/wire/protocol.hpp"
#include "manager/api/wire/request_facts.hpp"
#include "manager/api/wire/web_clients.hpp"
#include "manager/api/wire/zmtp_server.hpp"

namespace aliquot {

// The destination of an answer: opaque to the daemon, valid for any time.
struct ClientToken {
  ConnectionId connection = 0;
  std::string request_id;
  std::string ticket;  // for the reply to `hello`: the new ticket
  bool delimited = false;
  std::string method;
  std::chrono::steady_clock::time_point received{};
  std::shared_ptr<const RequestFacts> facts{};
};

// An answered request: "ok" or the name of the error, and the time from reading it to answering it.
struct AnsweredRequest {
  std::string method;
  std::string code;
  Duration took;
  const RequestFacts& facts;
  std::string_view body;  // of the answer
};

// The blob frame of a request, where it was read.
struct Blob {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
};

struct Incoming {
  ClientToken client;
  Peer peer;
  RequestHeader header;
  Request request;
  std::string body_sha256;
  Blob archive;
};

struct ServerCounters {
  std::uint64_t received = 0;
  std::uint64_t malformed = 0;    // answered with an error
  std::uint64_t turned_away = 0;  // no credentials, no ticket, too many in flight
  std::uint64_t too_many = 0;     // requests of a key, beyond its rate
  std::uint64_t replied = 0;
  std::uint64_t dropped_gone = 0;  // replies whose client had left
  std::uint64_t published = 0;
};

// What the sockets hold for clients at present.
struct ServerLoad {
  std::size_t connections = 0;  // of all sockets
  std::size_t unsent_bytes = 0;
  std::size_t request_bytes = 0;  // of large frames, in reading or in use
};

class JobServer {
 public:
  // Binds the sockets, the local ones with mode and group as configured. `keys_directory` has the keys of
  // remote clients (key_book.hpp). Errors: another manager runs, no such group or user, the directory
  // cannot be created, a key is not understood, the address is not this machine's.
  [[nodiscard]] static Result<std::unique_ptr<JobServer>> open(const ApiSettings& settings,
                                                               const std::string& keys_directory,
                                                               std::optional<ZmtpServerLimits> limits = {});

  JobServer(const JobServer&) = delete;
  JobServer& operator=(const JobServer&) = delete;
  ~JobServer();  // sends pending replies for up to a second, closes, removes the socket files

  [[nodiscard]] int fd() const;
  [[nodiscard]] bool pending() const;

  // Reads requests, of each connection in turn, until there are none or `budget` is spent; one is read in
  // any case. Malformed and forbidden requests are answered at once; the others go to the handler, which
  // must call reply() once for each, now or later.
  using Handler = std::function<void(Incoming)>;
  void drain(const Handler& handler, std::chrono::microseconds budget = std::chrono::milliseconds(5));
  // The client of this token, one of whose requests this counts.
  [[nodiscard]] Result<Peer> web_peer(const std::string& token, const std::string& address);
  // Answers at once what is malformed, forbidden or too much; else as drain().
  void take_web(const WebRequest& request, const Handler& handler, WebClients::Answered answered);
  // `listener` is called for every reply(), but not for requests that drain() answers itself.
  void on_answer(std::function<void(const AnsweredRequest&)> listener);
  // Of requests that drain() refuses itself, except those that are malformed or beyond the rate of a key.
  void on_turned_away(std::function<void(const AnsweredRequest&)> listener);
  // A client did not show a key that may come in: its address, and why.
  void on_refused(std::function<void(const std::string&, const std::string&)> listener);
  // Never blocks. An answer to a client that has left is dropped and counted.
  void reply(const ClientToken& client, const Reply& reply);
  // False: its user does not read the answers that were sent. A long answer should wait.
  [[nodiscard]] bool is_reading(const ClientToken& client) const;
  [[nodiscard]] bool has_left(const ClientToken& client) const;

  // Frames: topic ("job.12."), sequence in decimal, one JSON object. Subscribers that do not
  // keep up miss some, and request `events` after the last that they saw.
  void publish(const std::string& topic, std::uint64_t sequence, const std::string& json);

  // Of remote clients. After a change that takes something away, close_those_without_key().
  [[nodiscard]] KeyBook& keys();
  // The connections of these keys, and those whose key is not in force any more.
  void close_those_without_key(const std::set<std::string>& names = {});
  // Where remote clients connect: "192.168.1.10:7447"; empty: nowhere.
  [[nodiscard]] std::string remote_address() const;
  [[nodiscard]] std::string remote_events_address() const;

  void set_roles(Roles roles);
  [[nodiscard]] const Roles& roles() const;
  [[nodiscard]] const ServerCounters& counters() const;
  // Of all sockets.
  [[nodiscard]] ZmtpServerCounters closed() const;
  [[nodiscard]] std::uint64_t events_missed() const;
  [[nodiscard]] ServerLoad load() const;

 private:
  struct Sockets;
  explicit JobServer(std::unique_ptr<Sockets> sockets);
  void drain(ZmtpServer& from, const Handler& handler, std::chrono::steady_clock::time_point end);
  void take(ZmtpServer::Message message, const Handler& handler);
  void send(ConnectionId connection, const Frames& frames);

  std::unique_ptr<Sockets> sockets_;
};

}  // namespace aliquot
