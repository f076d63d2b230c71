// One connection of the HTTP server (http_server.cpp): what has come on it, and what is being sent. Never
// waits.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "monitor/http_message.hpp"
#include "monitor/live_feed.hpp"

namespace aliquot {

struct ServedPage;

struct HttpConnection {
  using Clock = std::chrono::steady_clock;
  enum class Phase { reading, waiting_for_page, sending, following };
  static constexpr std::size_t kReadAtOnce = 4096;
  static constexpr const char* kBeat = ": beat\n\n";  // a comment, which readers skip

  int fd = -1;
  Phase phase = Phase::reading;
  Clock::time_point deadline;  // of a stream with nothing to send: when its next beat is due
  std::string in;              // of requests, as far as they have come
  std::string out;             // the answer
  std::size_t sent = 0;        // of what is being sent
  bool head_only = false;
  bool keep_alive = false;
  std::string address{};
  bool from_here = false;
  // A request whose body has not come as a whole.
  const ServedPage* posted_to = nullptr;
  HttpRequest posted{};
  // Of a stream.
  LiveFeed* feed = nullptr;
  std::shared_ptr<const LiveFeed::Message> message{};  // that is being sent
  std::uint64_t seen = 0;                              // the number of the last one

  [[nodiscard]] bool is_idle() const { return out.empty() && !message; }
  // False: the connection is to be closed. What could not be sent waits.
  [[nodiscard]] bool send_more(const std::string& text);
  // Its address without the port.
  [[nodiscard]] std::string_view host() const {
    return std::string_view(address).substr(0, address.rfind(':'));
  }
  // What has come becomes a part of `in`.
  [[nodiscard]] bool receive();
  // Of a stream, whose client has nothing to say.
  [[nodiscard]] bool skip() const;
};

using HttpConnections = std::map<std::uint64_t, HttpConnection>;  // by number, in the order of their coming

// The stream that makes way for a newcomer when all are taken, so that one host cannot keep the others from
// the console: the newest one of the host that has the most, if these are two more than those of the
// newcomer's host. Its browser connects again by itself. None: the hosts share the streams evenly already.
[[nodiscard]] std::optional<std::uint64_t> stream_given_up(const HttpConnections& connections,
                                                           const HttpConnection& newcomer);

// The address of a client in words, and whether it is this machine.
[[nodiscard]] std::pair<std::string, bool> client_of(const sockaddr_storage& name);

}  // namespace aliquot
