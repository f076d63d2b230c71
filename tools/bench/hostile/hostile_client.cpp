#include "tools/bench/hostile/hostile_client.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace aliquot::siege {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBeforeReturning{50};
constexpr milliseconds kTrickle{100};  // between two bytes
constexpr std::size_t kWrittenAtOnce = 256U << 10;

int local_socket(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0) return fd;
  close(fd);
  return -1;
}

int http_socket(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd >= 0 &&
      (connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 || errno == EINPROGRESS))
    return fd;
  close(fd);
  return -1;
}

}  // namespace

HostileClient::~HostileClient() { leave(); }

bool HostileClient::take_turn() {
  const auto now = Clock::now();
  if (fd_ < 0) return now >= next_ && connect_anew();
  if (now - since_ > act_.stays) {
    leave();
    return true;
  }
  const bool read = act_.reads != HostileAct::Reads::nothing && read_some();
  const bool wrote = fd_ >= 0 && write_some();
  return read || wrote;
}

bool HostileClient::connect_anew() {
  using enum HostileAct::Door;
  fd_ = act_.door == http ? http_socket(target_.http)
                          : local_socket(act_.door == api ? target_.api : target_.events);
  if (fd_ < 0) {
    leave();
    return false;
  }
  ++connections_;
  since_ = Clock::now();
  next_ = {};
  pending_ = act_.first;
  at_ = 0;
  ticket_.clear();
  heard_.clear();
  return true;
}

void HostileClient::leave() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  next_ = Clock::now() + kBeforeReturning;
}

bool HostileClient::read_some() {
  std::array<char, 1U << 16> bytes;
  const std::size_t most = act_.reads == HostileAct::Reads::all ? bytes.size() : 1;
  if (most == 1 && Clock::now() < next_) return false;
  const ssize_t got = read(fd_, bytes.data(), most);
  if (most == 1) next_ = Clock::now() + kTrickle;
  if (got < 0 && (errno == EAGAIN || errno == ENOTCONN)) return false;
  if (got <= 0) {
    leave();
    return true;
  }
  if (!ticket_.empty() || heard_.size() > 65'536) return true;
  constexpr std::string_view kKey = "\"ticket\":\"";
  heard_.append(bytes.data(), static_cast<std::size_t>(got));
  const auto at = heard_.find(kKey);
  if (at != std::string::npos && heard_.size() >= at + kKey.size() + 32)
    ticket_ = heard_.substr(at + kKey.size(), 32);
  return true;
}

bool HostileClient::write_some() {
  if (at_ == pending_.size()) {
    const auto now = Clock::now();
    if (!act_.next || now < next_) return false;
    pending_ = act_.next(ticket_);
    at_ = 0;
    next_ = now + act_.pause;
  }
  const std::size_t most = std::min(pending_.size() - at_, kWrittenAtOnce);
  const ssize_t put = send(fd_, pending_.data() + at_, most, MSG_NOSIGNAL);
  if (put < 0 && errno != EAGAIN && errno != ENOTCONN) leave();
  if (put <= 0) return false;
  at_ += static_cast<std::size_t>(put);
  sent_ += static_cast<std::uint64_t>(put);
  return true;
}

}  // namespace aliquot::siege
