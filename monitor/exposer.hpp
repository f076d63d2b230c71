// The HTTP port of the manager: /metrics for Prometheus, /healthz (the process answers), /readyz (it can do
// its work), and further pages. What is read needs no password; it listens on the configured address, by
// default on loopback.
//
// The sources are called on the exposer's own threads; `not_ready` must wait for nothing. Health is
// answered whatever other clients do (http_server.hpp). stop() or the destructor closes the port and waits
// for the pages that are being made.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monitor/http_message.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

class HttpServer;

struct HttpPosted;
class LiveFeed;

// A further page: what it answers, or takes (http_server.hpp), or a stream.
struct HttpPage {
  std::string path;  // "/console.js"
  std::function<HttpAnswer(const HttpParameters&)> answer;
  std::function<HttpAnswer(const HttpPosted&)> post{};
  std::shared_ptr<LiveFeed> feed{};
};

struct ExposerSources {
  std::function<std::string()> metrics;                   // the text format
  std::function<std::optional<std::string>()> not_ready;  // the reason; none: ready
  std::vector<HttpPage> pages{};  // further pages; without a page "/" the server lists the paths there
};

class Exposer {
 public:
  // Listens when this returns. Port 0 means a free port. An address that is in use or not of this machine
  // is an error that names the key to change.
  [[nodiscard]] static Result<std::unique_ptr<Exposer>> open(const std::string& host, std::uint16_t port,
                                                             ExposerSources sources);
  Exposer(const Exposer&) = delete;
  Exposer& operator=(const Exposer&) = delete;
  ~Exposer();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  void stop();

 private:
  Exposer(std::unique_ptr<HttpServer> server, std::uint16_t port);
  std::unique_ptr<HttpServer> server_;  // none once it is stopped
  std::uint16_t port_;
};

}  // namespace aliquot
