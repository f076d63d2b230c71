// The sink of a backend's events, with an end: backends close it when they are destroyed, while calls that
// they have begun may still be under way.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot {

// The event sink, until it is closed: no event passes after that, even from a call that returns much later.
// The sink must not call back into the hypervisor.
class ClosableSink {
 public:
  explicit ClosableSink(Hypervisor::Sink sink) : sink_(std::move(sink)) {}
  void post(Event event) {
    const std::lock_guard lock(mutex_);
    if (sink_) sink_(std::move(event));
  }
  // Calls `answer` unless the sink is closed; for results that are not events.
  void while_open(const std::function<void()>& answer) {
    const std::lock_guard lock(mutex_);
    if (sink_) answer();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    sink_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Hypervisor::Sink sink_;
};

}  // namespace aliquot
