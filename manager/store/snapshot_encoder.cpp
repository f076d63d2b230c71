#include "manager/store/snapshot_encoder.hpp"

#include <utility>

#include "manager/store/state_codec.hpp"

namespace aliquot {

SnapshotEncoder::SnapshotEncoder(std::function<void(Snapshot)> done) : done_(std::move(done)) {
  thread_ = std::thread([this] { run(); });
}

SnapshotEncoder::~SnapshotEncoder() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SnapshotEncoder::put(CoreState state) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(state);
  }
  changed_.notify_all();
}

void SnapshotEncoder::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !waiting_ && !busy_; });
}

void SnapshotEncoder::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || waiting_; });
    if (!waiting_) return;
    const CoreState state = *std::exchange(waiting_, std::nullopt);
    busy_ = true;
    lock.unlock();
    done_({state.steps, state.view.now, encode_state(state)});
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace aliquot
