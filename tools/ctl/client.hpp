// The command line's end of ALIQUOT/1: one DEALER socket to the manager, on its machine or over TCP with a
// key, a deadline on everything.
//
// A question that went unanswered is asked again on a new connection while there is time: reads change
// nothing, and a submission carries a key by which the manager knows it again. Other orders are sent once.
//
// Of a cluster with several managers all may be named: the one that leads is asked. While none does, the
// client waits for the next one as long as there is time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manager/api/wire/protocol.hpp"
#include "policies/model/time.hpp"
#include "tools/ctl/remote_key.hpp"

namespace aliquot::ctl {

struct ClientSettings {
  // Its socket, a path or ipc://path, or tcp://HOST:PORT; those of several managers separated by commas.
  std::string server = "/run/aliquot/api.sock";
  Duration timeout = seconds(20);          // for one answer, retries included
  std::shared_ptr<const RemoteKey> key{};  // for tcp
};

class Client {
 public:
  explicit Client(ClientSettings settings);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  // The reply's body and blob; an error if the manager refused the request or could not be reached.
  // ErrorKind::unavailable: no manager listens; timeout: no answer.
  [[nodiscard]] Result<Reply> ask(Request request);

  // `server` is the manager that was asked last.
  [[nodiscard]] const ClientSettings& settings() const { return settings_; }

 private:
  struct Connection;
  using Deadline = std::int64_t;  // microseconds of the steady clock
  Result<Reply> attempt(const Request& request, Deadline until);
  Result<void> connect(const Request& request, Deadline until);
  [[nodiscard]] bool may_move_on(const Error& error, bool repeats) const;
  void move_on();
  Result<ReplyEnvelope> exchange(const Request& request, Deadline until);
  [[nodiscard]] bool is_remote() const;
  Result<void> open_socket();
  Result<void> send(const Frames& frames);
  // Can the manager be reached still? Looked at while its answer is waited for.
  Result<void> look();
  Result<void> look_at_handshake();

  ClientSettings settings_;
  std::vector<std::string> servers_;  // settings_.server is one of them
  std::size_t asked_ = 0;             // which one
  bool was_sent_ = false;             // the last request: it may have been carried out
  std::unique_ptr<Connection> connection_;
};

// A key that no other submission has.
[[nodiscard]] std::string new_idempotency_key();

}  // namespace aliquot::ctl
