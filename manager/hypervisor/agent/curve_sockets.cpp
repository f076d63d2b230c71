#include "manager/hypervisor/agent/curve_sockets.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "manager/hypervisor/agent/agent_wire.hpp"

namespace aliquot::agent {
namespace {

constexpr std::size_t kMostFrames = 4;

template <class Option>
void set_key(zmq::socket_t& socket, Option option, const Key& key) {
  socket.set(option, zmq::const_buffer(key.data(), key.size()));
}

void bound(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(kMostBytes));
  socket.set(zmq::sockopt::linger, 0);
}

std::vector<zmq::message_t> all_frames(zmq::socket_t& socket) {
  std::vector<zmq::message_t> frames;
  for (bool more = true; more;) {
    zmq::message_t frame;
    if (!socket.recv(frame, zmq::recv_flags::dontwait)) return {};
    more = frame.more();
    if (frames.size() < kMostFrames) frames.push_back(std::move(frame));
  }
  return frames;
}

}  // namespace

zmq::socket_t server_socket(zmq::context_t& context, const KeyPair& own) {
  zmq::socket_t socket(context, zmq::socket_type::router);
  bound(socket);
  socket.set(zmq::sockopt::curve_server, true);
  set_key(socket, zmq::sockopt::curve_secretkey, own.secret_key);
  socket.set(zmq::sockopt::zap_domain, "aliquot-node");
  socket.set(zmq::sockopt::handshake_ivl, 10'000);
  return socket;
}

zmq::socket_t client_socket(zmq::context_t& context, const KeyPair& own, const Key& agent) {
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  bound(socket);
  set_key(socket, zmq::sockopt::curve_serverkey, agent);
  set_key(socket, zmq::sockopt::curve_publickey, own.public_key);
  set_key(socket, zmq::sockopt::curve_secretkey, own.secret_key);
  // Nothing is kept for a peer that is not there: what matters is repeated (sequenced_link.hpp).
  socket.set(zmq::sockopt::immediate, true);
  socket.set(zmq::sockopt::reconnect_ivl, 200);
  socket.set(zmq::sockopt::reconnect_ivl_max, 2'000);
  socket.set(zmq::sockopt::heartbeat_ivl, 2'000);
  socket.set(zmq::sockopt::heartbeat_timeout, 10'000);
  return socket;
}

void transmit(zmq::socket_t& socket, const std::optional<std::string>& address, const Frames& frames) {
  constexpr auto more = zmq::send_flags::dontwait | zmq::send_flags::sndmore;
  if (address && !socket.send(zmq::buffer(*address), more)) return;
  if (!socket.send(zmq::buffer(frames.head), frames.message.empty() ? zmq::send_flags::dontwait : more))
    return;
  if (!frames.message.empty()) (void)socket.send(zmq::buffer(frames.message), zmq::send_flags::dontwait);
}

std::optional<Received> receive(zmq::socket_t& socket, bool is_server) {
  const auto frames = all_frames(socket);
  if (frames.empty()) return std::nullopt;
  Received received;
  const std::size_t heads = is_server ? 1 : 0;
  if (is_server) received.address = frames[0].to_string();
  if (frames.size() < heads + 1 || frames.size() > heads + 2) return received;
  received.frames.head = frames[heads].to_string();
  if (frames.size() == heads + 2) received.frames.message = frames[heads + 1].to_string();
  return received;
}

KeyCheck::KeyCheck(zmq::context_t& context, std::vector<Key> admitted)
    : admitted_(std::move(admitted)), socket_(context, zmq::socket_type::rep) {
  socket_.set(zmq::sockopt::linger, 0);
  socket_.bind("inproc://zeromq.zap.01");
  thread_ = std::thread([this] { answer_all(); });
}

KeyCheck::~KeyCheck() { thread_.join(); }

// version, request id, domain, address, identity, mechanism, client's key.
bool KeyCheck::admits(const std::vector<zmq::message_t>& request) const {
  if (request.size() != 7 || request[5].to_string_view() != "CURVE" || request[6].size() != Key{}.size())
    return false;
  return std::ranges::any_of(admitted_, [&](const Key& key) {
    return std::memcmp(key.data(), request[6].data(), key.size()) == 0;
  });
}

void KeyCheck::answer_all() try {
  for (;;) {
    std::vector<zmq::message_t> request;
    do {
      request.emplace_back();
      if (!socket_.recv(request.back())) return;
    } while (request.back().more());
    const bool ok = admits(request);
    if (!ok) ++refused_;
    const std::string id = request.size() > 1 ? request[1].to_string() : "";
    const std::string parts[] = {"1.0", id, ok ? "200" : "400", ok ? "OK" : "this key is not known here",
                                 "",    ""};
    for (std::size_t i = 0; i < std::size(parts); ++i)
      socket_.send(zmq::buffer(parts[i]),
                   i + 1 < std::size(parts) ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
} catch (const zmq::error_t&) {
  socket_.close();  // the context has been shut down
}

}  // namespace aliquot::agent
