#include "manager/api/wire/job_server.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>
#include <utility>

#include "manager/api/wire/connections.hpp"
#include "manager/api/wire/epoll_watch.hpp"
#include "manager/api/wire/error_names.hpp"
#include "manager/api/wire/event_publisher.hpp"
#include "manager/api/wire/remote_sockets.hpp"
#include "manager/api/wire/request_codec.hpp"
#include "manager/api/wire/socket_file.hpp"

namespace aliquot {

namespace {

constexpr std::uint32_t kInFlight = 64;
constexpr std::uint32_t kWebPatienceMs = 5000;  // less than its HTTP answer waits
constexpr int kBacklog = 1024;
constexpr auto kLinger = std::chrono::milliseconds(1000);
constexpr std::size_t kOtherFrames = std::size_t{1} << 20;  // beside the largest request
const std::string kWakeUp = "{}";
constexpr std::uint32_t kUnknownUser = UINT32_MAX;
const RequestFacts kNoFacts;

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

// Of a client that has shown no ticket: what its connection is, and no right.
Peer without_ticket(const Credentials& who) {
  Peer peer{.uid = who.uid, .pid = who.pid};
  peer.role = who.role;
  peer.key = who.key;
  return peer;
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

  Sockets(const ApiSettings& given, Roles resolved, KeyBook book, int requests_fd, int events_fd,
          ZmtpServerLimits limits)
      : settings(given),
        roles(std::move(resolved)),
        keys(std::move(book)),
        requests(requests_fd, given.socket, "ROUTER", limits),
        events(events_fd, given.events, limits) {
    requests.on_closed([this](ConnectionId id) { connections.forget(id); });
    if (all < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
    for (const int fd : {requests.fd(), events.fd()}) watch_fd(all, EPOLL_CTL_ADD, fd, 0, EPOLLIN);
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;
  ~Sockets() {
    requests.flush(kLinger);
    events.flush(kLinger);
    if (remote) remote->requests().flush(kLinger);
    close(all);
  }
  Result<void> open_remote(const ZmtpServerLimits& limits) {
    if (settings.remote.empty()) return {};
    auto opened = RemoteSockets::open(settings, keys, limits,
                                      [this](const std::string& address, const std::string& why) {
                                        if (on_refused) on_refused(address, why);
                                      });
    if (!opened) return tl::unexpected<Error>(opened.error());
    remote = std::move(*opened);
    remote->requests().on_closed([this](ConnectionId id) { connections.forget(id); });
    watch_fd(all, EPOLL_CTL_ADD, remote->requests().fd(), 0, EPOLLIN);
    if (remote->events()) watch_fd(all, EPOLL_CTL_ADD, remote->events()->fd(), 0, EPOLLIN);
    return {};
  }
  // Each with clients of its own.
  [[nodiscard]] std::vector<ZmtpServer*> of_requests() {
    if (remote) return {&requests, &remote->requests()};
    return {&requests};
  }
  [[nodiscard]] std::vector<EventPublisher*> of_events() {
    if (remote && remote->events()) return {&events, &*remote->events()};
    return {&events};
  }
  [[nodiscard]] std::vector<const ZmtpServer*> servers() {
    std::vector<const ZmtpServer*> found;
    for (const ZmtpServer* each : of_requests()) found.push_back(each);
    for (const EventPublisher* each : of_events()) found.push_back(&each->server());
    return found;
  }
  [[nodiscard]] ZmtpServer& server_of(ConnectionId id) {
    return remote && id > RemoteSockets::kBefore ? remote->requests() : requests;
  }

  ApiSettings settings;
  Roles roles;
  KeyBook keys;
  File requests_file{settings.socket};
  File events_file{settings.events};
  ZmtpServer requests;
  EventPublisher events;
  std::unique_ptr<RemoteSockets> remote;
  WebClients web{static_cast<double>(settings.remote_rate)};
  Connections connections{kInFlight};
  ServerCounters counters;
  std::function<void(const AnsweredRequest&)> on_answer;
  std::function<void(const AnsweredRequest&)> on_turned_away;
  RemoteSockets::Refused on_refused;
  int all = epoll_create1(EPOLL_CLOEXEC);
};

Result<std::unique_ptr<JobServer>> JobServer::open(const ApiSettings& settings,
                                                   const std::string& keys_directory,
                                                   std::optional<ZmtpServerLimits> given) {
  const ZmtpServerLimits limits = given.value_or(limits_of(settings));
  auto roles = resolve_roles(settings);
  if (!roles) return tl::unexpected<Error>(roles.error());
  auto keys = KeyBook::open(keys_directory);
  if (!keys) return tl::unexpected<Error>(keys.error());
  const auto requests = listen_at(settings.socket, settings);
  if (!requests) return tl::unexpected<Error>(requests.error());
  const auto events = listen_at(settings.events, settings);
  if (!events) {
    close(*requests);
    unlink(settings.socket.c_str());
    return tl::unexpected<Error>(events.error());
  }
  try {
    auto sockets = std::make_unique<Sockets>(settings, std::move(*roles), std::move(*keys), *requests,
                                             *events, limits);
    if (auto remote = sockets->open_remote(limits); !remote) return tl::unexpected<Error>(remote.error());
    return std::unique_ptr<JobServer>(new JobServer(std::move(sockets)));
  } catch (const std::system_error& e) {
    return fail(ErrorKind::unavailable, std::string("cannot serve the job API: ") + e.what());
  }
}

JobServer::JobServer(std::unique_ptr<Sockets> sockets) : sockets_(std::move(sockets)) {}
JobServer::~JobServer() = default;

int JobServer::fd() const { return sockets_->all; }
bool JobServer::pending() const {
  return std::ranges::any_of(sockets_->servers(), [](const ZmtpServer* each) { return each->pending(); });
}
void JobServer::set_roles(Roles roles) { sockets_->roles = std::move(roles); }
const Roles& JobServer::roles() const { return sockets_->roles; }
const ServerCounters& JobServer::counters() const { return sockets_->counters; }
KeyBook& JobServer::keys() { return sockets_->keys; }
std::string JobServer::remote_address() const {
  return sockets_->remote ? sockets_->remote->address() : "";
}
std::string JobServer::remote_events_address() const {
  return sockets_->remote ? sockets_->remote->events_address() : "";
}

void JobServer::close_those_without_key(const std::set<std::string>& names) {
  if (sockets_->remote) sockets_->remote->close_those_without_key(names);
}

std::uint64_t JobServer::events_missed() const {
  std::uint64_t sum = 0;
  for (const EventPublisher* each : sockets_->of_events()) sum += each->missed();
  return sum;
}

ZmtpServerCounters JobServer::closed() const {
  ZmtpServerCounters sum;
  for (const ZmtpServer* each : sockets_->servers()) {
    const ZmtpServerCounters& more = each->counters();
    sum.accepted += more.accepted;
    sum.closed_crowded += more.closed_crowded;
    sum.closed_overdue += more.closed_overdue;
    sum.closed_unread += more.closed_unread;
    sum.closed_invalid += more.closed_invalid;
    sum.closed_refused += more.closed_refused;
    sum.messages_unread += more.messages_unread;
  }
  return sum;
}

ServerLoad JobServer::load() const {
  ServerLoad load;
  for (const ZmtpServer* each : sockets_->servers()) {
    load.connections += each->size();
    load.unsent_bytes += each->unsent();
    load.request_bytes += each->large_bytes();
  }
  return load;
}

void JobServer::drain(const Handler& handler, std::chrono::microseconds budget) {
  Sockets& s = *sockets_;
  if (s.remote) s.remote->look_for_expired();
  for (EventPublisher* each : s.of_events()) each->take_subscriptions();
  const auto end = std::chrono::steady_clock::now() + budget;
  const std::vector<ZmtpServer*> servers = s.of_requests();
  do {
    bool idle = true;
    for (ZmtpServer* from : servers) {
      auto message = from->next();
      if (message) take(std::move(*message), handler);
      idle = idle && !message && !from->pending();
    }
    if (idle) return;
  } while (std::chrono::steady_clock::now() < end);
}

void JobServer::take(ZmtpServer::Message message, const Handler& handler) {
  Sockets& s = *sockets_;
  ++s.counters.received;
  const ConnectionId connection = message.from;
  FrameViews views;
  for (const ZmtpServer::Frame& frame : message.frames) views.emplace_back(frame.bytes);
  auto decoded = decode_in_place(views);
  ZmtpServer& server = s.server_of(connection);
  const Result<Credentials>& who = server.peer(connection);
  const bool is_remote = who && !who->key.empty();
  const Result<void> in_rate = is_remote ? s.remote->count(who->key) : Result<void>{};
  if (!in_rate) ++s.counters.too_many;
  if (!decoded && !in_rate) return server.close_invalid(connection);
  if (!decoded) {
    ++s.counters.malformed;
    const Unreadable& bad = decoded.error();
    return send(connection, encode_reply({bad.id, {bad.error, "{}", ""}}, bad.delimited));
  }
  Incoming incoming;
  incoming.client = {connection,         decoded->header.id,     "",
                     decoded->delimited, decoded->header.method, std::chrono::steady_clock::now()};
  incoming.client.facts = std::make_shared<const RequestFacts>(
      facts_of(who ? *who : Credentials{.uid = kUnknownUser}, decoded->request));
  const auto turn_away = [&](const Error& error) {
    ++s.counters.turned_away;
    if (s.on_turned_away && in_rate)
      s.on_turned_away(
          {decoded->header.method, std::string(wire_name(error.kind)), {}, *incoming.client.facts, ""});
    send(connection, encode_reply({incoming.client.request_id, {error, "{}", ""}}, decoded->delimited));
  };
  if (!who) return turn_away(who.error());
  if (!in_rate) return turn_away(in_rate.error());
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
  incoming.peer = proves || greets ? with_roles(*who, s.roles) : without_ticket(*who);
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

Result<Peer> JobServer::web_peer(const std::string& token, const std::string& address) {
  Sockets& s = *sockets_;
  ++s.counters.received;
  auto who = s.keys.admit_token(token, std::time(nullptr));
  if (!who && s.on_refused) s.on_refused(address, who.error().message);
  if (!who) return tl::unexpected<Error>(who.error());
  who->address = address;
  if (auto in_rate = s.web.count(who->key); !in_rate) {
    ++s.counters.too_many;
    return tl::unexpected<Error>(in_rate.error());
  }
  Peer peer = with_roles(std::move(*who), s.roles);
  peer.is_proved = true;
  return peer;
}

void JobServer::take_web(const WebRequest& request, const Handler& handler, WebClients::Answered answered) {
  Sockets& s = *sockets_;
  const auto turn_away = [&](const Error& error) {
    ++s.counters.turned_away;
    answered(Reply{error});
  };
  auto peer = web_peer(request.token, request.address);
  if (!peer) return turn_away(peer.error());
  auto decoded = wire::decode_payload(request.method, request.body, "");
  if (!decoded) return turn_away(decoded.error());
  if (!is_for_the_console(*decoded))
    return turn_away({ErrorKind::forbidden,
                      "`" + method_name(*decoded) + "` is not for the console; the command line has it"});
  Incoming incoming;
  incoming.client = {s.web.await(std::move(answered)), "", "", false, method_name(*decoded),
                     std::chrono::steady_clock::now(), {}};
  const Credentials who{.uid = peer->uid, .pid = peer->pid, .key = peer->key, .address = peer->address};
  incoming.client.facts = std::make_shared<const RequestFacts>(facts_of(who, *decoded));
  incoming.header.method = incoming.client.method;
  incoming.header.deadline_ms = kWebPatienceMs;
  incoming.peer = std::move(*peer);
  incoming.request = std::move(*decoded);
  handler(std::move(incoming));
}

void JobServer::on_answer(std::function<void(const AnsweredRequest&)> listener) {
  sockets_->on_answer = std::move(listener);
}
void JobServer::on_turned_away(std::function<void(const AnsweredRequest&)> listener) {
  sockets_->on_turned_away = std::move(listener);
}
void JobServer::on_refused(std::function<void(const std::string&, const std::string&)> listener) {
  sockets_->on_refused = std::move(listener);
}

void JobServer::reply(const ClientToken& client, const Reply& reply) {
  using std::chrono::steady_clock;
  const auto took =
      std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - client.received);
  const std::string code(reply.error ? wire_name(reply.error->kind) : "ok");
  if (sockets_->on_answer)
    sockets_->on_answer(
        {client.method, code, {took.count()}, client.facts ? *client.facts : kNoFacts, reply.body});
  if (client.connection >= WebClients::kFrom) return sockets_->web.answer(client.connection, reply);
  sockets_->connections.end(client.connection);
  send(client.connection, encode_reply({client.request_id, reply, client.ticket}, client.delimited));
}

bool JobServer::is_reading(const ClientToken& client) const {
  return client.connection >= WebClients::kFrom ||
         sockets_->server_of(client.connection).is_reading(client.connection);
}

bool JobServer::has_left(const ClientToken& client) const {
  return client.connection < WebClients::kFrom &&
         !sockets_->server_of(client.connection).is_open(client.connection);
}

void JobServer::send(ConnectionId connection, const Frames& frames) {
  Sockets& s = *sockets_;
  ZmtpServer& server = s.server_of(connection);
  if (server.is_open(connection))
    ++s.counters.replied;
  else
    ++s.counters.dropped_gone;
  server.send(connection, frames);
}

void JobServer::publish(const std::string& topic, std::uint64_t sequence, const std::string& json) {
  Sockets& s = *sockets_;
  // A subscriber has no ticket. It asks for the event, and gets what it may see.
  const Frames frames{topic, std::to_string(sequence), s.roles.privacy == "open" ? json : kWakeUp};
  for (EventPublisher* each : s.of_events()) each->publish(frames);
  ++s.counters.published;
}

}  // namespace aliquot
