#include "manager/api/wire/listener.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include "manager/api/wire/epoll_watch.hpp"

namespace aliquot {

Listener::Listener(int socket, int epoll, std::optional<std::uint32_t> per_s)
    : socket_(socket), epoll_(epoll) {
  if (per_s) bucket_.emplace(*per_s, *per_s);
  watch_fd(epoll_, EPOLL_CTL_ADD, socket_, kId, EPOLLIN);
}

Listener::~Listener() { close(socket_); }

int Listener::accept() {
  if (bucket_ && bucket_->wait(TokenBucket::now()).count() > 0) {
    waits_ = true;
    watch_fd(epoll_, EPOLL_CTL_MOD, socket_, kId, 0);
    errno = EAGAIN;
    return -1;
  }
  const int fd = accept4(socket_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0 && bucket_) (void)bucket_->take(TokenBucket::now());
  return fd;
}

void Listener::look() {
  if (!waits_ || bucket_->wait(TokenBucket::now()).count() > 0) return;
  waits_ = false;
  watch_fd(epoll_, EPOLL_CTL_MOD, socket_, kId, EPOLLIN);
}

}  // namespace aliquot
