// Requests that come over HTTP with a token (docs/console.md): the second way to the same handler. A client
// has the rights of its token, and so many requests per second. Belongs to the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "manager/api/wire/protocol.hpp"
#include "manager/api/wire/token_bucket.hpp"
#include "manager/api/wire/zmtp_connection.hpp"

namespace aliquot {

struct WebRequest {
  std::string token;
  std::string method;   // as in docs/protocol.md
  std::string body;     // JSON
  std::string address;  // of the client, or of the proxy before it
};

class WebClients {
 public:
  // Their numbers are not those of any connection of the sockets.
  static constexpr ConnectionId kFrom = ConnectionId{1} << 63U;
  using Answered = std::function<void(const Reply&)>;

  explicit WebClients(double requests_per_s) : rate_(requests_per_s) {}

  // Counts a request with this key. `unavailable`: there were too many; it says how long to wait.
  [[nodiscard]] Result<void> count(const std::string& key);
  // `answered` is called once, by answer() with the number that this returns.
  [[nodiscard]] ConnectionId await(Answered answered);
  void answer(ConnectionId client, const Reply& reply);

 private:
  const double rate_;
  std::map<std::string, TokenBucket> buckets_;  // by key
  std::map<ConnectionId, Answered> waiting_;
  ConnectionId newest_ = kFrom;
};

// What the console may ask for; the rest is for the command line.
[[nodiscard]] bool is_for_the_console(const Request& request);

}  // namespace aliquot
