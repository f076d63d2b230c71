#include "manager/api/wire/job_server.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "manager/api/wire/connections.hpp"
#include "manager/api/wire/error_names.hpp"
#include "manager/api/wire/event_publisher.hpp"
#include "manager/api/wire/socket_file.hpp"

namespace aliquot {

namespace {

constexpr std::uint32_t kInFlight = 64;
constexpr int kBacklog = 1024;
constexpr auto kLinger = std::chrono::milliseconds(1000);
constexpr std::size_t kOtherFrames = std::size_t{1} << 20;  // beside the largest request
const std::string kWakeUp = "{}";

// A socket that listens at `path`.
Result<int> listen_at(const std::string& path, const ApiSettings& settings) {
  if (auto prepared = prepare_socket_path(path); !prepared) return tl::unexpected<Error>(prepared.error());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  {
    const OwnerOnlyFiles guard;
    if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0 ||
        listen(fd, kBacklog) != 0) {
      const std::string why = std::strerror(errno);
      close(fd);
      return fail(ErrorKind::unavailable, "cannot listen at " + path + ": " + why);
    }
  }
  if (auto given = give_socket_to(path, settings.socket_mode, settings.socket_group); !given) {
    close(fd);
    unlink(path.c_str());
    return tl::unexpected<Error>(given.error());
  }
  return fd;
}

ZmtpServerLimits limits_of(const ApiSettings& settings) {
  ZmtpServerLimits limits;
  limits.frame_bytes = static_cast<std::size_t>(settings.max_request.raw);
  limits.large_bytes_of_user = limits.frame_bytes + kOtherFrames;
  limits.large_bytes_in_all = 2 * limits.large_bytes_of_user;
  return limits;
}

}  // namespace

struct JobServer::Sockets {
  // Listens; both files are removed at the end.
  struct File {
    explicit File(std::string path) : name(std::move(path)) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { unlink(name.c_str()); }
    std::string name;
  };

  Sockets(const ApiSettings& given, Roles resolved, int requests_fd, int events_fd, ZmtpServerLimits limits)
      : settings(given),
        roles(std::move(resolved)),
        requests(requests_fd, given.socket, "ROUTER", limits),
        events(events_fd, given.events, limits) {
    requests.on_closed([this](ConnectionId id) { connections.forget(id); });
    if (both < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
    for (const int fd : {requests.fd(), events.fd()}) {
      epoll_event event{};
      event.events = EPOLLIN;
      if (epoll_ctl(both, EPOLL_CTL_ADD, fd, &event) != 0)
        throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;
  ~Sockets() {
    requests.flush(kLinger);
    events.flush(kLinger);
    close(both);
  }

  ApiSettings settings;
  Roles roles;
  File requests_file{settings.socket};
  File events_file{settings.events};
  ZmtpServer requests;
  EventPublisher events;
  Connections connections{kInFlight};
  ServerCounters counters;
  std::function<void(const AnsweredRequest&)> on_answer;
  int both = epoll_create1(EPOLL_CLOEXEC);
};

Result<std::unique_ptr<JobServer>> JobServer::open(const ApiSettings& settings) {
  return open(settings, limits_of(settings));
}

Result<std::unique_ptr<JobServer>> JobServer::open(const ApiSettings& settings, ZmtpServerLimits limits) {
  auto roles = resolve_roles(settings);
  if (!roles) return tl::unexpected<Error>(roles.error());
  const auto requests = listen_at(settings.socket, settings);
  if (!requests) return tl::unexpected<Error>(requests.error());
  const auto events = listen_at(settings.events, settings);
  if (!events) {
    close(*requests);
    unlink(settings.socket.c_str());
    return tl::unexpected<Error>(events.error());
  }
  try {
    return std::unique_ptr<JobServer>(
        new JobServer(std::make_unique<Sockets>(settings, std::move(*roles), *requests, *events, limits)));
  } catch (const std::system_error& e) {
    return fail(ErrorKind::unavailable, std::string("cannot serve the job API: ") + e.what());
  }
}

JobServer::JobServer(std::unique_ptr<Sockets> sockets) : sockets_(std::move(sockets)) {}
JobServer::~JobServer() = default;

int JobServer::fd() const { return sockets_->both; }
bool JobServer::pending() const { return sockets_->requests.pending() || sockets_->events.pending(); }
void JobServer::set_roles(Roles roles) { sockets_->roles = std::move(roles); }
const Roles& JobServer::roles() const { return sockets_->roles; }
const ServerCounters& JobServer::counters() const { return sockets_->counters; }
std::uint64_t JobServer::events_missed() const { return sockets_->events.missed(); }

ZmtpServerCounters JobServer::closed() const {
  ZmtpServerCounters sum = sockets_->requests.counters();
  const ZmtpServerCounters& more = sockets_->events.server().counters();
  sum.accepted += more.accepted;
  sum.closed_crowded += more.closed_crowded;
  sum.closed_overdue += more.closed_overdue;
  sum.closed_unread += more.closed_unread;
  sum.closed_invalid += more.closed_invalid;
  sum.messages_unread += more.messages_unread;
  return sum;
}

ServerLoad JobServer::load() const {
  const ZmtpServer& requests = sockets_->requests;
  const ZmtpServer& events = sockets_->events.server();
  return {requests.size() + events.size(), requests.unsent() + events.unsent(), requests.large_bytes()};
}

void JobServer::drain(const Handler& handler, std::chrono::microseconds budget) {
  ZmtpServer& requests = sockets_->requests;
  sockets_->events.take_subscriptions();
  const auto end = std::chrono::steady_clock::now() + budget;
  do {
    if (auto message = requests.next())
      take(std::move(*message), handler);
    else if (!requests.pending())
      return;
  } while (std::chrono::steady_clock::now() < end);
}

void JobServer::take(ZmtpServer::Message message, const Handler& handler) {
  Sockets& s = *sockets_;
  ++s.counters.received;
  const ConnectionId connection = message.from;
  FrameViews views;
  for (const ZmtpServer::Frame& frame : message.frames) views.emplace_back(frame.bytes);
  auto decoded = decode_in_place(views);
  if (!decoded) {
    ++s.counters.malformed;
    const Unreadable& bad = decoded.error();
    return send(connection, encode_reply({bad.id, {bad.error, "{}", ""}}, bad.delimited));
  }
  Incoming incoming;
  incoming.client = {connection,         decoded->header.id,     "",
                     decoded->delimited, decoded->header.method, std::chrono::steady_clock::now()};
  const auto turn_away = [&](const Error& error) {
    ++s.counters.turned_away;
    send(connection, encode_reply({incoming.client.request_id, {error, "{}", ""}}, decoded->delimited));
  };
  const Result<Credentials>& who = s.requests.peer(connection);
  if (!who) return turn_away(who.error());
  const bool greets = std::holds_alternative<Hello>(decoded->request);
  const bool proves = !greets && (needs_identity(decoded->request) || !decoded->header.ticket.empty());
  if (proves) {
    if (auto proved = s.connections.prove(connection, decoded->header.ticket); !proved)
      return turn_away(proved.error());
  } else if (greets) {
    auto ticket = s.connections.greet(connection);
    if (!ticket) return turn_away(ticket.error());
    incoming.client.ticket = std::move(*ticket);
  }
  if (auto begun = s.connections.begin(connection); !begun) return turn_away(begun.error());
  incoming.peer = proves || greets ? with_roles(*who, s.roles) : Peer{.uid = who->uid, .pid = who->pid};
  incoming.peer.is_proved = proves;
  incoming.header = std::move(decoded->header);
  incoming.request = std::move(decoded->request);
  incoming.body_sha256 = std::move(decoded->body_sha256);
  if (decoded->has_blob) {
    const auto blob = std::make_shared<const ZmtpServer::Frame>(std::move(message.frames.back()));
    incoming.archive = {blob, blob->bytes};
  }
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
  sockets_->connections.end(client.connection);
  send(client.connection, encode_reply({client.request_id, reply, client.ticket}, client.delimited));
}

bool JobServer::is_reading(const ClientToken& client) const {
  return sockets_->requests.is_reading(client.connection);
}

bool JobServer::has_left(const ClientToken& client) const {
  return !sockets_->requests.is_open(client.connection);
}

void JobServer::send(ConnectionId connection, const Frames& frames) {
  Sockets& s = *sockets_;
  if (s.requests.is_open(connection))
    ++s.counters.replied;
  else
    ++s.counters.dropped_gone;
  s.requests.send(connection, frames);
}

void JobServer::publish(const std::string& topic, std::uint64_t sequence, const std::string& json) {
  Sockets& s = *sockets_;
  // A subscriber has no ticket. It asks for the event, and gets what it may see.
  s.events.publish({topic, std::to_string(sequence), s.roles.privacy == "open" ? json : kWakeUp});
  ++s.counters.published;
}

}  // namespace aliquot
