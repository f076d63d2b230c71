#include "manager/api/wire/tcp_socket.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aliquot {
namespace {

constexpr int kBacklog = 1024;
constexpr int kSilenceS = 60;

std::string text_of(const sockaddr_storage& address) {
  char host[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
    return "[" + std::string(host) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
  return std::string(host) + ":" + std::to_string(ntohs(v4.sin_port));
}

}  // namespace

Result<int> listen_on_tcp(const std::string& endpoint) {
  constexpr std::string_view scheme = "tcp://";
  const auto colon = endpoint.rfind(':');
  std::string host = endpoint.substr(scheme.size(), colon - scheme.size());
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_family = host == "*" ? AF_INET : AF_UNSPEC;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  const int code =
      getaddrinfo(host == "*" ? nullptr : host.c_str(), endpoint.substr(colon + 1).c_str(), &hints, &found);
  if (code != 0)
    return fail(ErrorKind::invalid_argument, endpoint + " is no address: " + gai_strerror(code));
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool listens =
      fd >= 0 && bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, kBacklog) == 0;
  const std::string why = std::strerror(errno);
  freeaddrinfo(found);
  if (listens) return fd;
  if (fd >= 0) close(fd);
  return fail(ErrorKind::unavailable, "cannot listen at " + endpoint + ": " + why +
                                          "; is it an address of this machine, and its port free?");
}

std::string own_address(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return "unknown";
  return text_of(address);
}

std::string peer_address(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return "unknown";
  return text_of(address);
}

void watch_peer(int fd) {
  const auto set = [fd](int level, int option, int value) {
    setsockopt(fd, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kSilenceS / 2);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kSilenceS / 6);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, kSilenceS * 1000);
}

}  // namespace aliquot
