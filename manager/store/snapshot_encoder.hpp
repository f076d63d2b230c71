// Encodes states as snapshot texts on its own thread: with ten thousand jobs this takes a large part of a
// second, for which no acknowledgement should wait. The writer only commits the text.
//
// A waiting state is dropped when a newer one arrives, because the newer one replaces it.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "manager/store/group_commit.hpp"

namespace aliquot {

class SnapshotEncoder {
 public:
  // `done` is called on the encoder's thread with each finished text.
  explicit SnapshotEncoder(std::function<void(Snapshot)> done);
  SnapshotEncoder(const SnapshotEncoder&) = delete;
  SnapshotEncoder& operator=(const SnapshotEncoder&) = delete;
  // Encodes the waiting state, then stops the thread.
  ~SnapshotEncoder();

  void put(CoreState state);
  // Waits until every state put before was passed to `done` or replaced.
  void flush();

 private:
  void run();

  std::function<void(Snapshot)> done_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<CoreState> waiting_;
  bool busy_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace aliquot
