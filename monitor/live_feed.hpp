// What the readers of a stream of server-sent events get: the newest message, as a whole. One that is
// published before a reader has taken the last takes its place, so that a reader that is slow holds one
// message, and has missed nothing once it has the newest.
//
// Any thread publishes; the HTTP server (http_server.hpp) sends.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace aliquot {

class LiveFeed {
 public:
  struct Message {
    std::uint64_t number = 0;  // counts messages, from 1
    std::string id;            // which a reader that comes back names (Last-Event-ID)
    std::string text;          // as it is sent
  };

  // `data` is one line. `id`: a reader that has a message of this id already is sent the next one only.
  void publish(std::string id, const std::string& data);
  // Null: nothing has been published.
  [[nodiscard]] std::shared_ptr<const Message> newest() const;
  [[nodiscard]] std::size_t readers() const { return readers_; }

  // Called for each reader that comes, on the server's thread: it must wait for nothing.
  void on_reader(std::function<void()> called);

  // For the server: what wakes it when something has been published; none: it is gone.
  void attach(std::function<void()> wake);
  void reader_came();
  void reader_left() { --readers_; }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Message> newest_;
  std::function<void()> wake_;
  std::function<void()> on_reader_;
  std::atomic<std::size_t> readers_{0};
};

}  // namespace aliquot
