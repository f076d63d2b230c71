#include "monitor/exposer.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "monitor/http_server.hpp"

namespace aliquot {
namespace {

constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
constexpr const char* kTextType = "text/plain; charset=utf-8";
constexpr int kUnaccepted = 128;

// The first that serves a path wins: a page of the sources may replace "/".
std::vector<ServedPage> pages_of(ExposerSources sources) {
  std::vector<ServedPage> pages{
      {"/healthz",
       [](const HttpParameters&) {
         return HttpAnswer{200, kTextType, "ok\n"};
       },
       true},
      {"/readyz",
       [not_ready = std::move(sources.not_ready)](const HttpParameters&) {
         const auto why = not_ready();
         return HttpAnswer{why ? 503 : 200, kTextType, why ? "not ready: " + *why + "\n" : "ready\n"};
       },
       true},
      {"/metrics", [metrics = std::move(sources.metrics)](const HttpParameters&) {
         return HttpAnswer{200, kMetricsType, metrics()};
       }}};
  for (HttpPage& page : sources.pages)
    pages.push_back(
        {std::move(page.path), std::move(page.answer), false, std::move(page.post), std::move(page.feed)});
  pages.push_back({"/",
                   [](const HttpParameters&) {
                     return HttpAnswer{200, kTextType, "aliquotd: /metrics /healthz /readyz\n"};
                   },
                   true});
  return pages;
}

std::string bind_error(const std::string& host, std::uint16_t port, int error) {
  std::string text = "cannot listen on " + host + ":" + std::to_string(port) + ": ";
  if (error == EADDRINUSE) return text + "another process does; change http.port, or stop that process";
  if (error == EACCES) return text + "ports below 1024 are not for this user; change http.port";
  if (error == EADDRNOTAVAIL) return text + "this machine has no such address; change http.host";
  if (error == 0) return text + "no address of that name is known; change http.host";
  return text + std::strerror(error) + "; change http.host or http.port";
}

// A listening socket; the errno of the last attempt, 0 if the name has no address. Without SO_REUSEPORT,
// which would allow two managers on one port without an error.
tl::expected<int, int> listen_on(const std::string& host, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0)
    return tl::unexpected(0);
  int error = 0;
  int listening = -1;
  for (const addrinfo* at = found; at != nullptr && listening < 0; at = at->ai_next) {
    const int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    const int yes = 1;
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd >= 0 && bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, kUnaccepted) == 0) {
      listening = fd;
    } else {
      error = errno;
      if (fd >= 0) close(fd);
    }
  }
  freeaddrinfo(found);
  if (listening < 0) return tl::unexpected(error);
  return listening;
}

std::uint16_t port_of(int listening) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  if (getsockname(listening, reinterpret_cast<sockaddr*>(&name), &length) != 0) return 0;
  const bool v6 = name.ss_family == AF_INET6;
  return ntohs(v6 ? reinterpret_cast<const sockaddr_in6*>(&name)->sin6_port
                  : reinterpret_cast<const sockaddr_in*>(&name)->sin_port);
}

}  // namespace

Result<std::unique_ptr<Exposer>> Exposer::open(const std::string& host, std::uint16_t port,
                                               ExposerSources sources) {
  const auto listening = listen_on(host, port);
  if (!listening) return fail(ErrorKind::unavailable, bind_error(host, port, listening.error()));
  const std::uint16_t bound = port_of(*listening);
  auto server = std::make_unique<HttpServer>(*listening, pages_of(std::move(sources)));
  return std::unique_ptr<Exposer>(new Exposer(std::move(server), bound));
}

Exposer::Exposer(std::unique_ptr<HttpServer> server, std::uint16_t port)
    : server_(std::move(server)), port_(port) {}

Exposer::~Exposer() = default;

void Exposer::stop() { server_.reset(); }

}  // namespace aliquot
