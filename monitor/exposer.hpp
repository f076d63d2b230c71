// The manager's one HTTP port: /metrics for Prometheus, /healthz (the process answers) and /readyz (it can
// do its work), and what other pages it is given. Reads only; no password: it listens where the
// configuration says, which is loopback by default.
//
// The sources are called on the exposer's own threads. stop(), or the end of the object, closes the port
// and waits for the requests under way.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

// What a further page answers.
struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};
using HttpParameters = std::multimap<std::string, std::string>;
struct HttpPage {
  std::string path;  // "/status.js"
  std::function<HttpAnswer(const HttpParameters&)> answer;
};

struct ExposerSources {
  std::function<std::string()> metrics;                   // the text format
  std::function<std::optional<std::string>()> not_ready;  // why not; none: ready
  std::vector<HttpPage> pages{};  // others; without "/" there is a list of the paths
};

class Exposer {
 public:
  // Listens when this returns. Port 0: one that is free. An address in use or not this machine's is an
  // error that names the key to change.
  [[nodiscard]] static Result<std::unique_ptr<Exposer>> open(const std::string& host, std::uint16_t port,
                                                             ExposerSources sources);
  Exposer(const Exposer&) = delete;
  Exposer& operator=(const Exposer&) = delete;
  ~Exposer();

  [[nodiscard]] std::uint16_t port() const;
  void stop();

 private:
  struct Server;
  explicit Exposer(std::unique_ptr<Server> server);
  std::unique_ptr<Server> server_;
};

}  // namespace aliquot
