#include "tools/ctl/client.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <zmq.hpp>

#include "config/quantities.hpp"
#include "policies/text_parts.hpp"

namespace aliquot::ctl {

namespace {

std::int64_t now_us() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

std::int64_t unix_us() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

constexpr std::int64_t kLookEveryMs = 500;
// Of several managers: how long one may take for its greeting, and the time after none of them led.
constexpr std::int64_t kGreetingUs = 2'000'000;
constexpr auto kNoneLeads = std::chrono::milliseconds(200);

// Asking these twice is the same as asking once.
bool may_repeat(const Request& request) {
  const auto* submit = std::get_if<Submit>(&request);
  if (submit != nullptr) return submit->dry_run || !submit->idempotency_key.empty();
  const auto* many = std::get_if<SubmitMany>(&request);
  if (many != nullptr) return !many->idempotency_key.empty();
  return !std::holds_alternative<Cancel>(request) && !std::holds_alternative<Requeue>(request) &&
         !std::holds_alternative<Hold>(request) && !std::holds_alternative<ReleaseJob>(request) &&
         !std::holds_alternative<PolicySet>(request) && !std::holds_alternative<PeriodSet>(request) &&
         !std::holds_alternative<ModeSet>(request) && !std::holds_alternative<ImageAdd>(request) &&
         !std::holds_alternative<ImageRemove>(request);
}

std::string path_of(const std::string& server) {
  constexpr std::string_view kScheme = "ipc://";
  return server.rfind(kScheme, 0) == 0 ? server.substr(kScheme.size()) : server;
}

// True if no process listens at this socket file: its manager was killed.
bool is_left_behind(const std::string& path) {
  sockaddr_un name{};
  if (path.size() >= sizeof name.sun_path) return false;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  const bool refused =
      connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0 && errno == ECONNREFUSED;
  close(fd);
  return refused;
}

Result<void> reachable(const std::string& path) {
  const bool exists = access(path.c_str(), R_OK | W_OK) == 0;
  if (exists && is_left_behind(path))
    return fail(ErrorKind::unavailable, "no manager at " + path +
                                            ": the one that made this socket has ended without removing "
                                            "it; start aliquotd");
  if (exists) return {};
  if (errno == EACCES)
    return fail(ErrorKind::forbidden, "this user may not use the manager's socket " + path +
                                          "; ask an operator to add you to its group");
  return fail(ErrorKind::unavailable, "no manager at " + path +
                                          "; start aliquotd, or name its socket with --server or "
                                          "ALIQUOT_SERVER");
}

}  // namespace

struct Client::Connection {
  zmq::context_t context{1};
  zmq::socket_t socket{context, zmq::socket_type::dealer};
  zmq::socket_t monitor{context, zmq::socket_type::pair};  // of a remote one: what becomes of its handshake
  std::string ticket;
  std::uint64_t last_id = 0;
};

Client::Client(ClientSettings settings) : settings_(std::move(settings)) {
  for (const std::string_view server : split(settings_.server, ','))
    servers_.push_back(path_of(std::string(server)));
  settings_.server = servers_.front();
}
Client::~Client() = default;

Result<Reply> Client::ask(Request request) {
  const Deadline until = now_us() + settings_.timeout.raw;
  const int attempts = may_repeat(request) ? 3 : 1;
  bool is_new = !connection_;
  for (int n = 1;; ++n) {
    const Deadline left = until - now_us();
    auto reply = attempt(request, n < attempts ? now_us() + left / (attempts - n + 1) : until);
    // A manager that was restarted does not know the ticket of this connection; it has done nothing.
    if (!reply && reply.error().kind == ErrorKind::forbidden && !std::exchange(is_new, true)) {
      connection_.reset();
      reply = attempt(request, until);
    }
    if (!reply && may_move_on(reply.error(), attempts > 1) && now_us() < until) {
      move_on();
      is_new = true;
      --n;
      continue;
    }
    const bool silent = !reply && reply.error().kind == ErrorKind::timeout;
    // The manager itself says so (then the connection stands): it is busy, and may be asked again.
    const bool busy = !reply && reply.error().kind == ErrorKind::unavailable && connection_;
    if (!(silent || busy) || n == attempts || now_us() >= until) return reply;
    if (busy) std::this_thread::sleep_for(std::chrono::seconds(1));
    if (busy) continue;
    connection_.reset();
  }
}

// To another manager, if this one is not there or does not lead, and the request does no harm twice.
bool Client::may_move_on(const Error& error, bool repeats) const {
  if (servers_.size() == 1) return false;
  if (error.kind == ErrorKind::not_leader) return true;
  const bool is_gone =
      error.kind == ErrorKind::timeout || (error.kind == ErrorKind::unavailable && !connection_);
  return is_gone && (repeats || !was_sent_);
}

void Client::move_on() {
  connection_.reset();
  asked_ = (asked_ + 1) % servers_.size();
  settings_.server = servers_[asked_];
  if (asked_ == 0) std::this_thread::sleep_for(kNoneLeads);
}

Result<Reply> Client::attempt(const Request& request, Deadline until) {
  was_sent_ = false;
  const Deadline greeted = servers_.size() > 1 ? std::min(until, now_us() + kGreetingUs) : until;
  if (auto connected = connect(request, greeted); !connected)
    return tl::unexpected<Error>(connected.error());
  was_sent_ = true;
  auto answer = exchange(request, until);
  if (!answer) {
    connection_.reset();
    return tl::unexpected<Error>(answer.error());
  }
  if (answer->reply.error) return tl::unexpected<Error>(std::move(*answer->reply.error));
  return std::move(answer->reply);
}

bool Client::is_remote() const { return settings_.server.starts_with("tcp://"); }

Result<void> Client::open_socket() {
  if (is_remote() && !settings_.key)
    return fail(ErrorKind::forbidden, "the manager at " + settings_.server +
                                          " lets nobody in without a key; name its file with --key or "
                                          "ALIQUOT_KEY (docs/remote.md)");
  if (!is_remote()) {
    if (auto there = reachable(settings_.server); !there) return there;
  }
  try {
    connection_ = std::make_unique<Connection>();
    zmq::socket_t& socket = connection_->socket;
    socket.set(zmq::sockopt::linger, 0);
    if (!is_remote()) {
      socket.connect("ipc://" + settings_.server);
      return {};
    }
    const auto set = [&socket](auto option, const CurveKey& key) {
      socket.set(option, std::string_view(reinterpret_cast<const char*>(key.data()), key.size()));
    };
    set(zmq::sockopt::curve_serverkey, settings_.key->server);
    set(zmq::sockopt::curve_publickey, settings_.key->own.public_key);
    set(zmq::sockopt::curve_secretkey, settings_.key->own.secret_key);
    if (zmq_socket_monitor(socket.handle(), "inproc://handshake", ZMQ_EVENT_ALL) != 0) throw zmq::error_t();
    connection_->monitor.connect("inproc://handshake");
    socket.connect(settings_.server);
  } catch (const zmq::error_t& e) {
    connection_.reset();
    return fail(ErrorKind::unavailable, "cannot connect to " + settings_.server + ": " + e.what());
  }
  return {};
}

// A manager that has ended gives no answer any more, however long it is waited for.
Result<void> Client::look() { return is_remote() ? look_at_handshake() : reachable(settings_.server); }

Result<void> Client::look_at_handshake() {
  zmq::message_t event, address;
  while (connection_->monitor.recv(event, zmq::recv_flags::dontwait)) {
    (void)connection_->monitor.recv(address, zmq::recv_flags::dontwait);
    std::uint16_t what = 0;
    std::memcpy(&what, event.data(), std::min(sizeof what, event.size()));
    const std::string& at = settings_.server;
    if (what == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
      return fail(ErrorKind::forbidden, "the manager at " + at + " does not let the key in " +
                                            settings_.key->file +
                                            " in: it is not known, was revoked or has expired; ask for "
                                            "another");
    if (what == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL || what == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL)
      return fail(ErrorKind::forbidden, "what listens at " + at + " does not prove to be the manager of " +
                                            settings_.key->file +
                                            ": its key has changed, or it is another program");
    if (what == ZMQ_EVENT_CLOSED)
      return fail(ErrorKind::unavailable,
                  "no manager listens at " + at + "; is aliquotd running there, with api.remote?");
  }
  return {};
}

Result<void> Client::connect(const Request& request, Deadline until) {
  if (connection_) return {};
  if (auto opened = open_socket(); !opened) return opened;
  // A standby answers it without a greeting, which is the leader's.
  if (std::holds_alternative<HaStatus>(request)) return {};
  auto hello = exchange(Hello{}, until);
  if (hello && !hello->reply.error) {
    connection_->ticket = hello->ticket;
    return {};
  }
  connection_.reset();
  return tl::unexpected<Error>(hello ? *hello->reply.error : hello.error());
}

// ZeroMQ connects again on its own, but not after a handshake that was refused, as that of a key that has
// been revoked meanwhile: a message to nowhere would then wait for ever.
Result<void> Client::send(const Frames& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto more = i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    if (connection_->socket.send(zmq::buffer(frames[i]), more | zmq::send_flags::dontwait)) continue;
    if (auto there = look(); !there) return there;
    return fail(ErrorKind::unavailable,
                "the manager at " + settings_.server + " has ended the connection; try again");
  }
  return {};
}

Result<ReplyEnvelope> Client::exchange(const Request& request, Deadline until) {
  RequestHeader header;
  header.id = std::to_string(++connection_->last_id);
  header.ticket = connection_->ticket;
  const std::int64_t left_ms = std::max<std::int64_t>(1, (until - now_us()) / 1000);
  header.deadline_ms = static_cast<std::uint32_t>(std::min<std::int64_t>(left_ms, 86'400'000));
  header.sent_us = unix_us();
  const Frames frames = encode_request(header, request);
  const auto silence = [this] {
    return fail(ErrorKind::timeout, "the manager at " + settings_.server + " gave no answer within " +
                                        print_duration(settings_.timeout) +
                                        "; is aliquotd running? --timeout waits longer");
  };
  try {
    zmq::socket_t& socket = connection_->socket;
    if (auto sent = send(frames); !sent) return tl::unexpected<Error>(sent.error());
    while (true) {
      zmq::pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};
      const std::int64_t left = (until - now_us() + 999) / 1000;
      if (left <= 0) return silence();
      if (zmq::poll(&item, 1, std::chrono::milliseconds(std::min(left, kLookEveryMs))) == 0) {
        if (auto there = look(); !there) return tl::unexpected<Error>(there.error());
        continue;
      }
      Frames answer;
      zmq::message_t frame;
      do {
        (void)socket.recv(frame, zmq::recv_flags::none);
        answer.push_back(frame.to_string());
      } while (frame.more());
      auto reply = decode_reply(answer);
      if (!reply || reply->id == header.id) return reply;
    }
  } catch (const zmq::error_t& e) {
    return fail(ErrorKind::unavailable, "the connection to " + settings_.server + " failed: " + e.what());
  }
}

std::string new_idempotency_key() {
  std::random_device random;
  std::string key;
  for (int i = 0; i < 32; ++i) key += "0123456789abcdef"[random() & 15];
  return key;
}

}  // namespace aliquot::ctl
