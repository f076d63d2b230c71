// Turns states into the text of snapshots on a thread of its own: ten thousand jobs take a good part of a
// second, and no acknowledgement is to wait for that. Only the commit of the text is the writer's.
//
// A state that is still waiting when a newer one comes is dropped: the newer one says all of it.
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
  // Finishes what waits, then ends.
  ~SnapshotEncoder();

  void put(CoreState state);
  // Waits until everything put before was handed on.
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
