#include "monitor/exposer.hpp"

#include <httplib.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace aliquot {
namespace {

constexpr std::size_t kThreads = 4;
constexpr int kPatience = 5;  // seconds for a client to ask, and to take its answer
constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
// A page may load resources from this port only, and no page may frame it.
constexpr const char* kOnlyOurs =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr const char* kTextType = "text/plain; charset=utf-8";

// The library's default, SO_REUSEPORT, would allow two managers on one port without an error.
void only_one_listener(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

void add_pages(httplib::Server& server, const ExposerSources& sources) {
  server.Get("/metrics", [metrics = sources.metrics](const httplib::Request&, httplib::Response& response) {
    response.set_content(metrics(), kMetricsType);
  });
  server.Get("/healthz", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("ok\n", kTextType);
  });
  server.Get("/readyz",
             [not_ready = sources.not_ready](const httplib::Request&, httplib::Response& response) {
               const auto why = not_ready();
               if (why) response.status = 503;
               response.set_content(why ? "not ready: " + *why + "\n" : "ready\n", kTextType);
             });
  for (const HttpPage& page : sources.pages) {
    server.Get(page.path,
               [answer = page.answer](const httplib::Request& request, httplib::Response& response) {
                 HttpAnswer given = answer(request.params);
                 response.status = given.status;
                 response.set_header("Content-Security-Policy", kOnlyOurs);
                 response.set_header("X-Content-Type-Options", "nosniff");
                 response.set_header("Referrer-Policy", "no-referrer");
                 response.set_header("Cache-Control", "no-store");
                 response.set_content(std::move(given.body), given.type);
               });
  }
  // The first that was registered for a path answers.
  server.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("aliquotd: /metrics /healthz /readyz\n", kTextType);
  });
}

void set_limits(httplib::Server& server) {
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_socket_options(only_one_listener);
  server.set_read_timeout(kPatience);
  server.set_write_timeout(kPatience);
  server.set_keep_alive_timeout(kPatience);
  server.set_payload_max_length(1024);  // no request needs a body
}

std::string bind_error(const std::string& host, std::uint16_t port, int error) {
  std::string text = "cannot listen on " + host + ":" + std::to_string(port) + ": ";
  if (error == EADDRINUSE) return text + "another process does; change http.port, or stop that process";
  if (error == EACCES) return text + "ports below 1024 are not for this user; change http.port";
  if (error == EADDRNOTAVAIL) return text + "this machine has no such address; change http.host";
  if (error == 0) return text + "no address of that name is known; change http.host";
  return text + std::strerror(error) + "; change http.host or http.port";
}

}  // namespace

struct Exposer::Server {
  httplib::Server http;
  std::thread thread;
  std::uint16_t port = 0;
};

Result<std::unique_ptr<Exposer>> Exposer::open(const std::string& host, std::uint16_t port,
                                               ExposerSources sources) {
  auto server = std::make_unique<Server>();
  set_limits(server->http);
  add_pages(server->http, sources);
  errno = 0;
  const int bound = port == 0                               ? server->http.bind_to_any_port(host)
                    : server->http.bind_to_port(host, port) ? port
                                                            : -1;
  if (bound < 0) return fail(ErrorKind::unavailable, bind_error(host, port, errno));
  server->port = static_cast<std::uint16_t>(bound);
  server->thread = std::thread([http = &server->http] { http->listen_after_bind(); });
  while (!server->http.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return std::unique_ptr<Exposer>(new Exposer(std::move(server)));
}

Exposer::Exposer(std::unique_ptr<Server> server) : server_(std::move(server)) {}

Exposer::~Exposer() { stop(); }

std::uint16_t Exposer::port() const { return server_->port; }

void Exposer::stop() {
  if (!server_->thread.joinable()) return;
  server_->http.stop();
  server_->thread.join();
}

}  // namespace aliquot
