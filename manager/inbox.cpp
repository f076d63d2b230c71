#include "manager/inbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <system_error>
#include <utility>

namespace aliquot {

Inbox::Inbox() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Inbox::~Inbox() { close(fd_); }

void Inbox::post(Message message) {
  {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
  }
  const std::uint64_t one = 1;
  // A full counter already means "readable": nothing is lost.
  [[maybe_unused]] const auto written = write(fd_, &one, sizeof one);
}

std::vector<Message> Inbox::drain() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = read(fd_, &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return std::exchange(messages_, {});
}

}  // namespace aliquot
