#include "manager/ha/log_keeper.hpp"

#include <chrono>
#include <utility>

namespace aliquot::ha {
namespace {

constexpr auto kAfterFailure = std::chrono::seconds(60);

}  // namespace

LogKeeper::LogKeeper(Parts parts)
    : parts_(std::move(parts)), batches_(parts_.batches), thread_([this] { run(); }) {}

LogKeeper::~LogKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LogKeeper::appended(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    bytes_ += bytes;
    ++batches_;
  }
  changed_.notify_all();
}

void LogKeeper::run() {
  std::unique_lock lock(mutex_);
  const auto is_long = [this] {
    return stopping_ || bytes_ >= parts_.limits.bytes || batches_ >= parts_.limits.batches;
  };
  for (;;) {
    changed_.wait(lock, is_long);
    if (stopping_) return;
    bytes_ = batches_ = 0;
    lock.unlock();
    write_copy();
    lock.lock();
  }
}

void LogKeeper::write_copy() {
  const auto copy = copy_of_store(parts_.store);
  SharedLog log(parts_.etcd, parts_.keys, [this] { return parts_.leadership.surely_leads(); });
  const auto written = copy ? log.write_base(parts_.leadership.condition(), *copy)
                            : Result<void>(tl::unexpected<Error>(copy.error()));
  if (written)
    return parts_.say("log_cut batch=" + std::to_string(copy->batch) +
                      " copy_bytes=" + std::to_string(copy->bytes.size()));
  parts_.say("log_not_cut " + written.error().message);
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kAfterFailure, [this] { return stopping_; });
}

}  // namespace aliquot::ha
