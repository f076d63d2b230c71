// A small HTTP server whose time and memory are bounded whatever clients do. One thread serves all
// connections without ever waiting for one of them; pages that may take long are made by a few other
// threads.
//
// A request must be complete, and its answer read, within a time; then the connection is closed. When there
// are too many connections, the oldest is closed for the newest. Quick pages are answered by the first
// thread itself, so that they are answered however long the others take.
//
// A stream (server-sent events) stays open while its reader takes each message within the same time; there
// are so many at once, and each refers to one message at most (live_feed.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "monitor/http_message.hpp"
#include "monitor/live_feed.hpp"

namespace aliquot {

// What a client posts.
struct HttpPosted {
  HttpRequest head;
  std::string body;
  std::string address;     // of the client, with its port
  bool from_here = false;  // the connection comes from this machine
};

struct ServedPage {
  std::string path;
  std::function<HttpAnswer(const HttpParameters&)> answer;
  bool quick = false;  // waits for nothing, not even for a lock
  // Instead of an answer: takes what clients post, never quickly; or is a stream.
  std::function<HttpAnswer(const HttpPosted&)> post{};
  std::shared_ptr<LiveFeed> feed{};
};

struct HttpLimits {
  std::size_t connections = 256;
  std::size_t head_bytes = 8192;         // of a request
  std::chrono::seconds to_ask{5};        // from the connection, or the last answer, to a complete request
  std::chrono::seconds to_read{10};      // from the answer to its last byte
  std::size_t unsent_bytes = 16U << 20;  // of all answers; pages that are not quick are refused above it
  std::size_t workers = 3;               // threads for pages that are not quick
  std::size_t waiting = 32;              // requests for such pages
  std::size_t body_bytes = 256U << 10;   // of a request
  std::size_t bodies_bytes = 4U << 20;   // of all requests that have not come as a whole
  std::size_t streams = 32;
  std::chrono::seconds beat{5};  // a stream without a message is told so often that it stands
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
