#include "tools/share/relay.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <syslog.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>
#include <memory>
#include <optional>

#include "manager/hypervisor/share_access.hpp"

namespace aliquot::share {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostConnections = 16;                // of the VM
constexpr std::size_t kMostPending = std::size_t{1} << 20;  // bytes; above, no more are read
constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr auto kRetry = std::chrono::seconds(1);
constexpr auto kConnectDeadline = std::chrono::seconds(10);
constexpr int kLowestPort = 512, kHighestPort = 1023;  // reserved ports, as bindresvport(3) has them

tl::unexpected<Error> failed(const std::string& what) {
  return fail(ErrorKind::unavailable, what + ": " + std::strerror(errno));
}

// A socket that is being connected, from a reserved port.
Descriptor connect_from_reserved_port(const addrinfo& to) {
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  for (int port = kHighestPort; port >= kLowestPort; --port) {
    Descriptor socket(::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.is_open()) return {};
    sockaddr_storage own{};
    own.ss_family = static_cast<sa_family_t>(to.ai_family);
    reinterpret_cast<sockaddr_in*>(&own)->sin_port = htons(static_cast<std::uint16_t>(port));
    const int on = 1;
    setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (bind(socket.get(), reinterpret_cast<sockaddr*>(&own), to.ai_addrlen) != 0) {
      if (errno == EADDRINUSE) continue;
      return {};
    }
    if (connect(socket.get(), to.ai_addr, to.ai_addrlen) == 0 || errno == EINPROGRESS) return socket;
    if (errno != EADDRNOTAVAIL && errno != EADDRINUSE) return {};
  }
  return {};
}

// Looks the server up each time, because its address may have changed.
Descriptor connect_to(const std::string& server) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(server.c_str(), std::to_string(kNfsPort).c_str(), &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  Descriptor socket;
  for (const addrinfo* at = found; at != nullptr && !socket.is_open(); at = at->ai_next)
    socket = connect_from_reserved_port(*at);
  return socket;
}

// Sends what it can of `pending`; false: the connection has ended.
bool send_pending(int socket, std::string& pending) {
  if (pending.empty()) return true;
  const ssize_t sent = send(socket, pending.data(), pending.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  pending.erase(0, static_cast<std::size_t>(sent));
  return true;
}

// Reads one piece; none: the connection has ended.
std::optional<std::string_view> receive(int socket, std::array<char, kPiece>& buffer) {
  const ssize_t got = recv(socket, buffer.data(), buffer.size(), 0);
  if (got > 0) return std::string_view(buffer.data(), static_cast<std::size_t>(got));
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::string_view();
  return std::nullopt;
}

// A connection of the guest, and the one to the server that belongs to it.
class Link {
 public:
  Link(Descriptor guest, const std::string& server, const AuthSys& user)
      : guest_(std::move(guest)), server_name_(server), calls_(user) {}

  // What is waited for, at the guest and at the server.
  [[nodiscard]] std::array<pollfd, 2> wanted() {
    if (!server_.is_open() && Clock::now() >= next_try_) start_connecting();
    const bool can_take = to_server_.size() < kMostPending && !is_server_gone_;
    const auto guest = static_cast<short>((can_take ? POLLIN : 0) | (to_guest_.empty() ? 0 : POLLOUT));
    auto server = static_cast<short>((to_guest_.size() < kMostPending ? POLLIN : 0) |
                                     (to_server_.empty() ? 0 : POLLOUT));
    if (is_connecting_) server = POLLOUT;
    return {pollfd{guest_.get(), guest, 0}, pollfd{is_server_gone_ ? -1 : server_.get(), server, 0}};
  }

  // False: it has ended.
  bool serve(short guest, short server) {
    if (is_connecting_) return finish_connecting(server) && serve_guest(guest);
    if (server_.is_open() && !is_server_gone_ && server != 0) serve_server(server);
    return serve_guest(guest) && !(is_server_gone_ && to_guest_.empty());
  }

 private:
  void start_connecting() {
    next_try_ = Clock::now() + kRetry;
    server_ = connect_to(server_name_);
    is_connecting_ = server_.is_open();
    if (is_connecting_) give_up_ = Clock::now() + kConnectDeadline;
    if (!is_connecting_) complain();
  }

  // The guest's connection stays whatever comes of it.
  bool finish_connecting(short events) {
    int error = 0;
    socklen_t size = sizeof error;
    if (events == 0 && Clock::now() < give_up_) return true;
    if (events == 0) error = ETIMEDOUT;
    if (events != 0) getsockopt(server_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    is_connecting_ = false;
    has_complained_ = has_complained_ && error != 0;
    if (error == 0) return true;
    errno = error;
    complain();
    server_ = {};
    return true;
  }

  void complain() {
    if (!has_complained_)
      syslog(LOG_WARNING, "%s is not reached: %s; trying on", server_name_.c_str(), std::strerror(errno));
    has_complained_ = true;
  }

  void serve_server(short events) {
    if ((events & POLLOUT) != 0 && !send_pending(server_.get(), to_server_)) is_server_gone_ = true;
    if ((events & ~POLLOUT) == 0) return;
    const auto bytes = receive(server_.get(), buffer_);
    if (!bytes)
      is_server_gone_ = true;
    else
      to_guest_ += *bytes;
  }

  bool serve_guest(short events) {
    if ((events & POLLOUT) != 0 && !send_pending(guest_.get(), to_guest_)) return false;
    if ((events & POLLIN) == 0) return (events & (POLLERR | POLLHUP)) == 0;
    const auto bytes = receive(guest_.get(), buffer_);
    if (!bytes) return false;
    const auto taken = calls_.take(*bytes, to_server_);
    if (!taken) syslog(LOG_WARNING, "%s: its connection is closed", taken.error().message.c_str());
    return taken.has_value();
  }

  Descriptor guest_, server_;
  std::string server_name_;
  NfsCalls calls_;
  std::string to_server_, to_guest_;
  Clock::time_point next_try_{}, give_up_{};
  bool is_connecting_ = false;
  bool is_server_gone_ = false;  // what it has sent still goes to the guest
  bool has_complained_ = false;
  std::array<char, kPiece> buffer_{};
};

Descriptor accepted(const Listener& listener) {
  Descriptor guest(accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const int on = 1;
  if (guest.is_open()) setsockopt(guest.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return guest;
}

Result<Descriptor> listener_on(const std::string& device, unsigned index, std::uint16_t port) {
  Descriptor socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) return failed("there is no socket of IPv6");
  const int on = 1;
  sockaddr_in6 own{};
  own.sin6_family = AF_INET6;
  own.sin6_port = htons(port);
  own.sin6_scope_id = index;
  inet_pton(AF_INET6, kShareAddress, &own.sin6_addr);
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  const std::string what = std::string(kShareAddress) + " port " + std::to_string(port) + " on " + device;
  if (setsockopt(socket.get(), SOL_SOCKET, SO_BINDTODEVICE, device.c_str(),
                 static_cast<socklen_t>(device.size())) != 0 ||
      bind(socket.get(), reinterpret_cast<sockaddr*>(&own), sizeof own) != 0 ||
      listen(socket.get(), static_cast<int>(kMostConnections)) != 0)
    return failed(what + " cannot be listened on");
  return socket;
}

}  // namespace

Result<std::vector<Listener>> listen_on(const std::string& device,
                                        const std::vector<std::string>& servers) {
  const unsigned index = if_nametoindex(device.c_str());
  if (index == 0) return failed("there is no network device " + device);
  std::vector<Listener> listeners;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    auto socket = listener_on(device, index, static_cast<std::uint16_t>(kFirstSharePort + i));
    if (!socket) return tl::unexpected<Error>(socket.error());
    listeners.push_back({std::move(*socket), servers[i]});
  }
  return listeners;
}

void relay(const std::string& device, const std::vector<Listener>& listeners, const AuthSys& user) {
  const unsigned index = if_nametoindex(device.c_str());
  std::list<Link> links;
  while (index != 0 && if_nametoindex(device.c_str()) == index) {
    std::vector<pollfd> waited;
    for (const Listener& listener : listeners)
      waited.push_back({links.size() < kMostConnections ? listener.socket.get() : -1, POLLIN, 0});
    for (Link& link : links)
      for (const pollfd& wanted : link.wanted()) waited.push_back(wanted);
    poll(waited.data(), waited.size(), static_cast<int>(std::chrono::milliseconds(kRetry).count()));
    std::size_t at = listeners.size();
    for (auto link = links.begin(); link != links.end(); at += 2)
      link = link->serve(waited[at].revents, waited[at + 1].revents) ? std::next(link) : links.erase(link);
    for (std::size_t i = 0; i < listeners.size(); ++i) {
      if (waited[i].revents == 0 || links.size() >= kMostConnections) continue;
      if (Descriptor guest = accepted(listeners[i]); guest.is_open())
        links.emplace_back(std::move(guest), listeners[i].server, user);
    }
  }
}

}  // namespace aliquot::share
