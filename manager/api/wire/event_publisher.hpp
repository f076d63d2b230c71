// Publishes events to subscribers, as a PUB socket of ZeroMQ does: a subscriber gets the messages whose
// topic begins with one of its subscriptions. One that does not keep up misses messages.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "manager/api/wire/zmtp_server.hpp"

namespace aliquot {

class EventPublisher {
 public:
  // Takes a socket that is bound to `path` and listens; with an entrance, a TCP socket.
  EventPublisher(int listening_socket, std::string path, ZmtpServerLimits limits,
                 std::optional<CurveEntrance> entrance = {});

  [[nodiscard]] int fd() const { return server_.fd(); }
  [[nodiscard]] bool pending() const { return server_.pending(); }
  // Takes in what subscribers ask for, as far as it has come.
  void take_subscriptions();
  // The first frame is the topic.
  void publish(const std::vector<std::string>& frames);
  void flush(std::chrono::milliseconds patience) { server_.flush(patience); }

  void close_those(const std::function<bool(const Credentials&)>& of) { server_.close_those(of); }

  [[nodiscard]] std::uint64_t missed() const { return missed_; }
  [[nodiscard]] const ZmtpServer& server() const { return server_; }

 private:
  void take(ZmtpServer::Message message);

  ZmtpServer server_;
  std::map<ConnectionId, std::set<std::string>> topics_;
  std::uint64_t missed_ = 0;  // messages not sent to a subscriber that did not read
};

}  // namespace aliquot
