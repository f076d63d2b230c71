#include "manager/api/wire/event_publisher.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {
namespace {

constexpr std::size_t kTopics = 64;  // of a subscriber
constexpr std::size_t kTopicBytes = 128;

ZmtpServerLimits with_short_messages(ZmtpServerLimits limits) {
  limits.frame_bytes = 1 + kTopicBytes;
  limits.frames = 1;
  limits.unsent_of_connection = 64U << 10;
  return limits;
}

}  // namespace

EventPublisher::EventPublisher(int listening_socket, std::string path, ZmtpServerLimits limits,
                               std::optional<CurveEntrance> entrance)
    : server_(listening_socket, std::move(path), "PUB", with_short_messages(limits), std::move(entrance)) {
  server_.on_closed([this](ConnectionId id) { topics_.erase(id); });
}

void EventPublisher::take_subscriptions() {
  do {
    while (auto message = server_.next()) take(std::move(*message));
  } while (server_.pending());
}

// Of version 3.0: a byte, 1 to subscribe and 0 to cancel, and the topic.
void EventPublisher::take(ZmtpServer::Message message) {
  const std::string& bytes = message.frames.front().bytes;
  if (bytes.empty() || static_cast<unsigned char>(bytes[0]) > 1) return server_.close_invalid(message.from);
  std::set<std::string>& own = topics_[message.from];
  if (bytes[0] == 0)
    own.erase(bytes.substr(1));
  else if (own.size() < kTopics)
    own.insert(bytes.substr(1));
  else
    server_.close_invalid(message.from);
}

void EventPublisher::publish(const std::vector<std::string>& frames) {
  for (const auto& [id, topics] : topics_) {
    const auto wanted = [&](const std::string& topic) { return frames.front().starts_with(topic); };
    if (std::ranges::none_of(topics, wanted)) continue;
    if (server_.is_reading(id))
      server_.send(id, frames);
    else
      ++missed_;
  }
}

}  // namespace aliquot
