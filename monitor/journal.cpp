#include "monitor/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "monitor/codec_step.hpp"

namespace aliquot {

namespace {

int open_file(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
}

std::size_t items_of(const Step& step) {
  const std::size_t changes = step.decision ? step.decision->plan.changes.size() : 0;
  return 1 + step.events.size() + changes + step.actions.size() + step.ended.size();
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(const std::string& path, WhenFull when_full,
                                               std::size_t max_items) {
  const int fd = open_file(path);
  if (fd < 0) {
    return fail(ErrorKind::unavailable, "journal " + path + ": cannot be opened: " + std::strerror(errno) +
                                            ": make its directory writable, or set another path or none");
  }
  return std::unique_ptr<Journal>(new Journal(path, fd, when_full, max_items));
}

Journal::Journal(std::string path, int fd, WhenFull when_full, std::size_t max_items)
    : path_(std::move(path)), when_full_(when_full), max_items_(max_items), fd_(fd) {
  thread_ = std::thread([this] { run(); });
}

Journal::~Journal() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  thread_.join();
  if (fd_ >= 0) ::close(fd_);
}

void Journal::on_durable(const Step& step) {
  const std::size_t items = items_of(step);
  {
    std::unique_lock lock(mutex_);
    // A step larger than the bound is accepted if the queue is empty.
    const auto fits = [&] { return items_ == 0 || items_ + items <= max_items_; };
    if (when_full_ == WhenFull::wait) {
      room_.wait(lock, fits);
    } else if (!fits()) {
      ++status_.lost;
      return;
    }
    queue_.push_back(step);
    items_ += items;
  }
  work_.notify_one();
}

void Journal::reopen() {
  {
    const std::lock_guard lock(mutex_);
    reopen_ = true;
  }
  work_.notify_one();
}

void Journal::flush() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return items_ == 0 && !reopen_; });
}

Journal::Status Journal::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void Journal::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return stopping_ || reopen_ || !queue_.empty(); });
    if (reopen_) {
      lock.unlock();
      std::string trouble = open_again();
      lock.lock();
      reopen_ = false;
      status_.trouble = std::move(trouble);
    } else if (!queue_.empty()) {
      const Step step = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      std::string trouble = write_line(step);
      lock.lock();
      ++(trouble.empty() ? status_.written : status_.lost);
      status_.trouble = std::move(trouble);
      items_ -= items_of(step);
    } else {
      return;
    }
    room_.notify_all();
  }
}

std::string Journal::write_line(const Step& step) {
  if (fd_ < 0) {
    if (std::string trouble = open_again(); !trouble.empty()) return trouble;
  }
  // What a full disk left of an earlier line is closed off: it costs that line, not this one.
  std::string line(torn_ ? 1 : 0, '\n');
  line.append(encode_step(step)).push_back('\n');
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t count = ::write(fd_, line.data() + done, line.size() - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (count < 0 && errno != EINTR) {
      torn_ = torn_ || done > 0;
      return "journal " + path_ + ": cannot be written: " + std::strerror(errno);
    }
  }
  torn_ = false;
  return {};
}

std::string Journal::open_again() {
  const int fd = open_file(path_);
  if (fd < 0) {
    // The old file is kept: what comes is better there than nowhere.
    return "journal " + path_ + ": cannot be opened anew: " + std::strerror(errno);
  }
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
  torn_ = false;
  return {};
}

}  // namespace aliquot
