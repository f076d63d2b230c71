// For tests: a server on sockets in a directory of its own, driven by a loop of a few lines, and a client
// that says exactly what it is told to.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "manager/api/wire/job_server.hpp"

namespace aliquot::test {

class Loopback {
 public:
  // With keys, it listens for clients of other machines too.
  explicit Loopback(const std::string& privacy = "open", ZmtpServerLimits limits = {},
                    const std::map<std::string, ClientKey>& keys = {}, std::uint32_t rate = 1000) {
    settings.privacy = privacy;
    settings.remote_rate = rate;
    char name[] = "/tmp/aliquot-api-XXXXXX";
    directory_ = mkdtemp(name);
    std::filesystem::permissions(directory_, std::filesystem::perms(0755));
    settings.socket = directory_ + "/run/api.sock";
    settings.events = directory_ + "/run/events.sock";
    settings.socket_mode = 0666;
    settings.max_request = mebibytes(1);
    limits.frame_bytes = static_cast<std::size_t>(settings.max_request.raw);
    if (!keys.empty()) settings.remote = settings.remote_events = "tcp://127.0.0.1:0";
    auto book = KeyBook::open(directory_ + "/keys");
    for (const auto& [word, key] : keys)
      if (!book->add(word, key)) throw std::runtime_error("no key " + word);
    server_key = book->server_keys()->public_key;
    auto opened = JobServer::open(settings, directory_ + "/keys", limits);
    if (!opened) throw std::runtime_error(opened.error().message);
    server = std::move(*opened);
    server->on_refused([this](const std::string&, const std::string&) { ++refused; });
    thread_ = std::thread([this] { run(); });
  }
  ~Loopback() {
    stop();
    server.reset();
    std::filesystem::remove_all(directory_);
  }
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] std::uint64_t received() const { return received_; }
  [[nodiscard]] std::uint64_t closed_unread() const { return closed_unread_; }
  [[nodiscard]] std::uint64_t closed_invalid() const { return closed_invalid_; }
  [[nodiscard]] std::size_t most_unsent() const { return most_unsent_; }

  ApiSettings settings;
  std::unique_ptr<JobServer> server;
  CurveKey server_key{};
  std::atomic<int> refused{0};       // handshakes
  std::atomic<bool> revokes{false};  // all keys, once
  std::atomic<bool> silent{false};
  std::atomic<bool> publish{false};
  std::atomic<int> hold_back{0};  // answers wait until there are so many, then go in reverse
  std::atomic<std::size_t> answer_bytes{0};

 private:
  void run() {
    while (!stop_) {
      pollfd wait{server->fd(), POLLIN, 0};
      if (!server->pending()) poll(&wait, 1, 20);
      server->drain([this](Incoming in) { take(std::move(in)); });
      if (revokes.exchange(false)) revoke_all();
      received_ = server->counters().received;
      closed_unread_ = server->closed().closed_unread;
      closed_invalid_ = server->closed().closed_invalid;
      most_unsent_ = std::max<std::size_t>(most_unsent_, server->load().unsent_bytes);
      if (!publish) continue;
      server->publish("job.11.running", 41, "{}");
      server->publish("job.12.running", 42, R"({"x":1})");
    }
  }
  void revoke_all() {
    const auto keys = server->keys().keys();
    for (const auto& [name, key] : keys)
      if (!server->keys().revoke(name)) throw std::runtime_error("not revoked");
    server->close_those_without_key();
  }
  void take(Incoming in) {
    received_ = server->counters().received;  // before its client has an answer
    if (std::holds_alternative<Hello>(in.request)) return server->reply(in.client, {});
    if (silent) return;
    held_.push_back(std::move(in));
    if (held_.size() < static_cast<std::size_t>(hold_back)) return;
    for (; !held_.empty(); held_.pop_back()) answer(held_.back());
    hold_back = 0;
  }
  void answer(const Incoming& in) {
    if (auto allowed = authorize(in.request, in.peer, in.peer.uid); !allowed)
      return server->reply(in.client, {allowed.error(), "{}", ""});
    const std::string body = "{\"method\":\"" + in.header.method +
                             "\",\"pid\":" + std::to_string(in.peer.pid) +
                             ",\"uid\":" + std::to_string(in.peer.uid) +
                             ",\"proved\":" + (in.peer.is_proved ? "true" : "false") + "}";
    server->reply(in.client, {std::nullopt, body, std::string(answer_bytes, 'b')});
  }

  std::string directory_;
  std::vector<Incoming> held_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> received_{0};
  std::atomic<std::uint64_t> closed_unread_{0};
  std::atomic<std::uint64_t> closed_invalid_{0};
  std::atomic<std::size_t> most_unsent_{0};
  std::thread thread_;
};

// A DEALER that sends what it is given, well-formed or not.
class Raw {
 public:
  Raw(const Loopback& loop, const std::string& routing_id) {
    if (!routing_id.empty()) socket.set(zmq::sockopt::routing_id, routing_id);
    socket.set(zmq::sockopt::rcvtimeo, 5000);
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::rcvhwm, 10);
    socket.connect("ipc://" + loop.settings.socket);
  }
  void send(const std::string& header, const std::string& body) {
    socket.send(zmq::str_buffer("ALIQUOT/1"), zmq::send_flags::sndmore);
    socket.send(zmq::buffer(header), zmq::send_flags::sndmore);
    socket.send(zmq::buffer(body), zmq::send_flags::none);
  }
  ReplyEnvelope receive() {
    Frames frames;
    zmq::message_t frame;
    do {
      if (!socket.recv(frame)) throw std::runtime_error("no answer");
      frames.push_back(frame.to_string());
    } while (frame.more());
    return decode_reply(frames).value();
  }

  zmq::context_t context;
  zmq::socket_t socket{context, zmq::socket_type::dealer};
};

inline ReplyEnvelope ask_raw(const Loopback& loop, const std::string& routing_id, const std::string& header,
                             const std::string& body) {
  Raw raw(loop, routing_id);
  raw.send(header, body);
  return raw.receive();
}

// A socket file whose owner is gone, as after a kill.
inline void leave_stale_socket(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  if (bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) throw std::runtime_error("bind");
  close(fd);
}

}  // namespace aliquot::test
