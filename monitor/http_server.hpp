// A small HTTP server whose time and memory are bounded whatever clients do. One thread serves all
// connections without ever waiting for one of them; pages that may take long are made by a few other
// threads.
//
// A request must be complete, and its answer read, within a time; then the connection is closed. When there
// are too many connections, the oldest is closed for the newest. Quick pages are answered by the first
// thread itself, so that they are answered however long the others take.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "monitor/http_message.hpp"

namespace aliquot {

struct ServedPage {
  std::string path;
  std::function<HttpAnswer(const HttpParameters&)> answer;
  bool quick = false;  // waits for nothing, not even for a lock
};

struct HttpLimits {
  std::size_t connections = 256;
  std::size_t head_bytes = 8192;         // of a request
  std::chrono::seconds to_ask{5};        // from the connection, or the last answer, to a complete request
  std::chrono::seconds to_read{10};      // from the answer to its last byte
  std::size_t unsent_bytes = 16U << 20;  // of all answers; pages that are not quick are refused above it
  std::size_t workers = 3;               // threads for pages that are not quick
  std::size_t waiting = 32;              // requests for such pages
};

class HttpServer {
 public:
  // Takes a socket that is bound and listens. Serves when this returns.
  HttpServer(int listening_socket, std::vector<ServedPage> pages, HttpLimits limits = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  // Closes all connections; waits for pages that are being made.
  ~HttpServer();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace aliquot
