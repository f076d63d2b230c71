// What a set of epoll is told to watch.
#pragma once

#include <sys/epoll.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace aliquot {

// `operation` is EPOLL_CTL_ADD or EPOLL_CTL_MOD; `id` comes back with what happens.
inline void watch_fd(int epoll, int operation, int fd, std::uint64_t id, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  if (epoll_ctl(epoll, operation, fd, &event) != 0)
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

}  // namespace aliquot
