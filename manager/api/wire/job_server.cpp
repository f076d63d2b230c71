#include "manager/api/wire/job_server.hpp"

#include <unistd.h>

#include <utility>
#include <zmq.hpp>

#include "manager/api/wire/connections.hpp"
#include "manager/api/wire/error_names.hpp"
#include "manager/api/wire/socket_file.hpp"

namespace aliquot {

namespace {

constexpr std::size_t kConnections = 4096;
constexpr std::uint32_t kInFlight = 64;
constexpr int kRequestsWaiting = 16;  // per connection, in ZeroMQ: each may be as large as max_request
constexpr int kRepliesWaiting = 100;
constexpr int kEventsWaiting = 1000;
constexpr int kLingerMs = 1000;
constexpr std::size_t kFramesRead = 8;
const std::string kWakeUp = "{}";

Result<void> listen_at(zmq::socket_t& socket, const std::string& path, const ApiSettings& settings) {
  if (auto room = prepare_socket_path(path); !room) return room;
  try {
    const OwnerOnlyFiles guard;
    socket.bind("ipc://" + path);
  } catch (const zmq::error_t& e) {
    return fail(ErrorKind::unavailable, "cannot listen at " + path + ": " + e.what());
  }
  return give_socket_to(path, settings.socket_mode, settings.socket_group);
}

Error as_error(const zmq::error_t& e) {
  return {ErrorKind::unavailable, std::string("ZeroMQ: ") + e.what()};
}

}  // namespace

struct JobServer::Sockets {
  ApiSettings settings;
  Roles roles;
  zmq::context_t context{1};
  zmq::socket_t router{context, zmq::socket_type::router};
  zmq::socket_t events{context, zmq::socket_type::pub};
  Connections connections{kConnections, kInFlight};
  ServerCounters counters;
  std::function<void(const AnsweredRequest&)> on_answer;
  bool bound_router = false;
  bool bound_events = false;

  ~Sockets() {
    if (bound_router) unlink(settings.socket.c_str());
    if (bound_events) unlink(settings.events.c_str());
  }

  Result<void> open() {
    // Without `mandatory`, ROUTER drops a reply to a client that has left, and it could not be counted.
    router.set(zmq::sockopt::router_mandatory, true);
    router.set(zmq::sockopt::maxmsgsize, settings.max_request.raw);
    router.set(zmq::sockopt::rcvhwm, kRequestsWaiting);
    router.set(zmq::sockopt::sndhwm, kRepliesWaiting);
    router.set(zmq::sockopt::linger, kLingerMs);
    events.set(zmq::sockopt::sndhwm, kEventsWaiting);
    events.set(zmq::sockopt::maxmsgsize, std::int64_t{1} << 16);  // subscriptions are short
    events.set(zmq::sockopt::linger, kLingerMs);
    if (auto done = listen_at(router, settings.socket, settings); !done) return done;
    bound_router = true;
    if (auto done = listen_at(events, settings.events, settings); !done) return done;
    bound_events = true;
    return {};
  }
};

Result<std::unique_ptr<JobServer>> JobServer::open(const ApiSettings& settings) {
  auto roles = resolve_roles(settings);
  if (!roles) return tl::unexpected<Error>(roles.error());
  try {
    auto sockets = std::make_unique<Sockets>();
    sockets->settings = settings;
    sockets->roles = std::move(*roles);
    if (auto done = sockets->open(); !done) return tl::unexpected<Error>(done.error());
    return std::unique_ptr<JobServer>(new JobServer(std::move(sockets)));
  } catch (const zmq::error_t& e) {
    return tl::unexpected<Error>(as_error(e));
  }
}

JobServer::JobServer(std::unique_ptr<Sockets> sockets) : sockets_(std::move(sockets)) {}
JobServer::~JobServer() = default;

int JobServer::fd() const { return sockets_->router.get(zmq::sockopt::fd); }
bool JobServer::pending() const { return (sockets_->router.get(zmq::sockopt::events) & ZMQ_POLLIN) != 0; }
void JobServer::set_roles(Roles roles) { sockets_->roles = std::move(roles); }
const Roles& JobServer::roles() const { return sockets_->roles; }
const ServerCounters& JobServer::counters() const { return sockets_->counters; }

// A request as it was read, and the descriptor of the connection through which it came.
struct JobServer::Message {
  std::string routing_id;
  std::vector<zmq::message_t> frames;
  int connection = -1;

  [[nodiscard]] FrameViews views() const {
    FrameViews all;
    for (const zmq::message_t& frame : frames) all.push_back(frame.to_string_view());
    return all;
  }
  // Without a copy. The frame is gone afterwards.
  [[nodiscard]] Blob take_blob() {
    const auto owner = std::make_shared<const zmq::message_t>(std::move(frames.back()));
    return {owner, owner->to_string_view()};
  }
};

void JobServer::drain(const Handler& handler, std::chrono::microseconds budget) {
  zmq::socket_t& router = sockets_->router;
  const auto end = std::chrono::steady_clock::now() + budget;
  do {
    Message message;
    try {
      zmq::message_t frame;
      if (!router.recv(frame, zmq::recv_flags::dontwait)) return;
      message.routing_id = frame.to_string();
      for (bool more = frame.more(); more;) {
        if (!router.recv(frame)) return;
        more = frame.more();
        // At once: the descriptor is valid only while the connection is open. Not of the first frame, which
        // ROUTER itself makes.
        if (message.frames.empty()) message.connection = zmq_msg_get(frame.handle(), ZMQ_SRCFD);
        if (message.frames.size() < kFramesRead) message.frames.push_back(std::move(frame));
      }
    } catch (const zmq::error_t&) {
      return;  // interrupted: complete messages were handled, the rest is still queued
    }
    take(std::move(message), handler);
  } while (std::chrono::steady_clock::now() < end);
}

void JobServer::take(Message message, const Handler& handler) {
  Sockets& s = *sockets_;
  ++s.counters.received;
  const std::string& routing_id = message.routing_id;
  const auto credentials = peer_of(message.connection, s.settings.socket);
  auto decoded = decode_in_place(message.views());
  if (!decoded) {
    ++s.counters.malformed;
    const Unreadable& bad = decoded.error();
    return send(routing_id, encode_reply({bad.id, {bad.error, "{}", ""}}, bad.delimited));
  }
  Incoming incoming;
  incoming.client = {routing_id,         decoded->header.id,     "",
                     decoded->delimited, decoded->header.method, std::chrono::steady_clock::now()};
  const auto turn_away = [&](const Error& error) {
    ++s.counters.turned_away;
    send(routing_id, encode_reply({incoming.client.request_id, {error, "{}", ""}}, decoded->delimited));
  };
  Result<Credentials> who = credentials;
  const bool greets = std::holds_alternative<Hello>(decoded->request);
  const bool proves = !greets && (needs_identity(decoded->request) || !decoded->header.ticket.empty());
  if (proves) {
    who = s.connections.proved(routing_id, decoded->header.ticket);
  } else if (who && greets) {
    auto ticket = s.connections.greet(routing_id, *who);
    if (!ticket) return turn_away(ticket.error());
    incoming.client.ticket = std::move(*ticket);
  }
  if (!who) return turn_away(who.error());
  if (auto begun = s.connections.begin(routing_id); !begun) return turn_away(begun.error());
  incoming.peer = proves || greets ? with_roles(*who, s.roles) : Peer{.uid = who->uid, .pid = who->pid};
  incoming.peer.is_proved = proves;
  incoming.header = std::move(decoded->header);
  incoming.request = std::move(decoded->request);
  incoming.body_sha256 = std::move(decoded->body_sha256);
  if (decoded->has_blob) incoming.archive = message.take_blob();
  handler(std::move(incoming));
}

void JobServer::on_answer(std::function<void(const AnsweredRequest&)> listener) {
  sockets_->on_answer = std::move(listener);
}

void JobServer::reply(const ClientToken& client, const Reply& reply) {
  using std::chrono::steady_clock;
  const auto took =
      std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - client.received);
  const std::string code(reply.error ? wire_name(reply.error->kind) : "ok");
  if (sockets_->on_answer) sockets_->on_answer({client.method, code, {took.count()}});
  sockets_->connections.end(client.routing_id);
  send(client.routing_id, encode_reply({client.request_id, reply, client.ticket}, client.delimited));
}

void JobServer::send(const std::string& routing_id, const Frames& frames) {
  Sockets& s = *sockets_;
  try {
    using zmq::send_flags;
    const auto first = s.router.send(zmq::buffer(routing_id), send_flags::sndmore | send_flags::dontwait);
    if (!first) {
      ++s.counters.dropped_slow;
      return;
    }
    for (std::size_t i = 0; i < frames.size(); ++i)
      (void)s.router.send(zmq::buffer(frames[i]),
                          i + 1 < frames.size() ? send_flags::sndmore : send_flags::none);
    ++s.counters.replied;
  } catch (const zmq::error_t&) {
    ++s.counters.dropped_gone;  // EHOSTUNREACH
  }
}

void JobServer::publish(const std::string& topic, std::uint64_t sequence, const std::string& json) {
  Sockets& s = *sockets_;
  try {
    using zmq::send_flags;
    (void)s.events.send(zmq::buffer(topic), send_flags::sndmore | send_flags::dontwait);
    (void)s.events.send(zmq::buffer(std::to_string(sequence)), send_flags::sndmore | send_flags::dontwait);
    // A subscriber has no ticket. It asks for the event, and gets what it may see.
    const std::string& shown = s.roles.privacy == "open" ? json : kWakeUp;
    (void)s.events.send(zmq::buffer(shown), send_flags::dontwait);
    ++s.counters.published;
  } catch (const zmq::error_t&) {
    return;  // the context is closing
  }
}

}  // namespace aliquot
