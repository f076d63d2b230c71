// The sockets of the job API for clients of other machines: requests and, if the settings say so, events,
// over TCP with CURVE only. A client has the rights of its key, and so many requests per second.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "config/settings.hpp"
#include "manager/api/wire/event_publisher.hpp"
#include "manager/api/wire/key_book.hpp"
#include "manager/api/wire/token_bucket.hpp"
#include "manager/api/wire/zmtp_server.hpp"

namespace aliquot {

class RemoteSockets {
 public:
  // The numbers of its connections begin above this one.
  static constexpr ConnectionId kBefore = ConnectionId{1} << 62U;
  using Refused = std::function<void(const std::string& address, const std::string& why)>;

  // Of settings with an `api.remote`. `keys` outlives the sockets. Errors: an address is not this machine's
  // or is in use, the manager's keys cannot be read or made.
  [[nodiscard]] static Result<std::unique_ptr<RemoteSockets>> open(const ApiSettings& settings,
                                                                   KeyBook& keys,
                                                                   const ZmtpServerLimits& limits,
                                                                   Refused refused);

  [[nodiscard]] ZmtpServer& requests() { return requests_; }
  [[nodiscard]] std::optional<EventPublisher>& events() { return events_; }
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] const std::string& events_address() const { return events_address_; }

  // Counts a request of this key. `unavailable`: there were too many; it says how long to wait.
  [[nodiscard]] Result<void> count(const std::string& key);
  // Closes the connections of these keys, and of those that are not in force any more.
  void close_those_without_key(const std::set<std::string>& names);
  // The same about once a second: a key may expire.
  void look_for_expired();

 private:
  struct Listening {
    int fd = -1;
    std::string address;
  };
  [[nodiscard]] static Result<Listening> listen_at(const std::string& endpoint);
  RemoteSockets(const ApiSettings& settings, KeyBook& keys, const CurveEntrance& entrance,
                const ZmtpServerLimits& limits, Listening requests, const std::optional<Listening>& events);

  KeyBook& keys_;
  std::string address_;
  std::string events_address_;
  ZmtpServer requests_;
  std::optional<EventPublisher> events_;
  const double rate_;
  std::map<std::string, TokenBucket> buckets_;  // by key
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace aliquot
