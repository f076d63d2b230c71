// The queue through which other threads tell the loop what has happened: the only state that they share
// with it.
//
// Any thread posts; the loop drains. `fd` becomes readable when there is something to drain.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "monitor/record/event.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Everything up to this step is on disk.
struct Durable {
  std::uint64_t step = 0;
};
// The store cannot write any more: the daemon must stop acting.
struct StoreFailed {
  Error error;
};
// The disk of the store is full: nothing is acknowledged until there is room. No value: it is over.
struct StoreBlocked {
  std::optional<Error> error;
};
// Work that another thread has done is to be finished in the loop (a file was read, a node answered).
struct Continuation {
  std::function<void()> run;
};
using Message = std::variant<Event, Durable, StoreFailed, StoreBlocked, Continuation>;

class Inbox {
 public:
  Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  ~Inbox();

  void post(Message message);
  // All that was posted so far, oldest first.
  [[nodiscard]] std::vector<Message> drain();
  [[nodiscard]] int fd() const { return fd_; }

 private:
  std::mutex mutex_;
  std::vector<Message> messages_;
  int fd_;
};

}  // namespace aliquot
