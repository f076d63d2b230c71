#include "manager/api/wire/zmtp_server.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "manager/api/wire/epoll_watch.hpp"
#include "manager/api/wire/zmtp.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kReadAtOnce = 64U << 10;
constexpr std::size_t kWrittenAtOnce = 256U << 10;
constexpr std::size_t kTurnsBetweenPolls = 16;
constexpr std::size_t kMuch = 64U << 10;          // bytes in a second
constexpr std::size_t kCostOfMessage = 2U << 10;  // counts as so many bytes
constexpr int kEventsAtOnce = 256;

}  // namespace

ZmtpServer::ZmtpServer(int listening_socket, std::string path, std::string socket_type,
                       ZmtpServerLimits limits, std::optional<CurveEntrance> entrance,
                       ConnectionId last_before)
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      path_(std::move(path)),
      socket_type_(std::move(socket_type)),
      limits_(limits),
      entrance_(std::move(entrance)),
      listener_(listening_socket, epoll_,
                entrance_ ? std::optional(limits.handshakes_per_s) : std::nullopt),
      budget_(limits.large_bytes_in_all, limits.large_bytes_of_user),
      newest_(last_before) {}

ZmtpServer::~ZmtpServer() {
  for (const auto& [id, connection] : connections_) close(connection.fd);
  close(epoll_);
}

bool ZmtpServer::is_reading(ConnectionId id) const {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return true;  // its answers cost nothing
  const std::size_t of_user = users_.at(at->second.uid).unsent;
  return of_user == 0 || (at->second.unsent <= limits_.unsent_of_connection &&
                          of_user <= limits_.unsent_of_user && unsent_ <= limits_.unsent_in_all);
}

std::optional<ZmtpServer::Message> ZmtpServer::next() {
  if (until_poll_ == 0 || ready_.empty()) {
    poll_once();
    until_poll_ = kTurnsBetweenPolls;
  }
  for (; until_poll_ > 0; --until_poll_) {
    const auto turn = next_turn();
    if (!turn) break;
    const ConnectionId id = *turn;
    const auto at = connections_.find(id);
    if (at == connections_.end()) continue;
    Connection& connection = at->second;
    connection.queued = false;
    switch (advance(id, connection)) {
      case Progress::message:
        connection.heard = ++clock_;
        connection.waits_since = Clock::now();
        connection.count(kCostOfMessage);
        queue(id, connection);
        --until_poll_;
        return Message{id, connection.reader.take_message()};
      case Progress::some:
        queue(id, connection);
        break;
      case Progress::none:
        if (connection.ended)
          drop(id);
        else
          watch(id, connection);
        break;
      case Progress::asks:
        let_in(id, connection);
        break;
      case Progress::invalid:
        if (entrance_ && !connection.reader.has_greeted())
          refuse(id, "its handshake failed: it does not know the manager's key, or speaks no CURVE");
        else
          drop(id, counters_.closed_invalid);
        break;
    }
  }
  until_poll_ = 0;
  return std::nullopt;
}

std::optional<ConnectionId> ZmtpServer::next_turn() {
  std::deque<ConnectionId>& from = ready_.empty() ? busy_ : ready_;
  if (from.empty()) return std::nullopt;
  const ConnectionId id = from.front();
  from.pop_front();
  return id;
}

void ZmtpServer::poll_once() {
  listener_.look();
  for (std::size_t n = waiting_.size(); n > 0; --n) {
    const ConnectionId id = waiting_.front();
    waiting_.pop_front();
    const auto at = connections_.find(id);
    if (at != connections_.end()) queue(id, at->second);  // asks again for its reservation
  }
  std::array<epoll_event, kEventsAtOnce> events{};
  const int count = epoll_wait(epoll_, events.data(), kEventsAtOnce, 0);
  for (int i = 0; i < count; ++i) {
    const ConnectionId id = events[static_cast<std::size_t>(i)].data.u64;
    const std::uint32_t what = events[static_cast<std::size_t>(i)].events;
    if (id == Listener::kId) {
      accept_all();
      continue;
    }
    const auto at = connections_.find(id);
    if (at == connections_.end()) continue;
    Connection& connection = at->second;
    if ((what & EPOLLOUT) != 0) write_some(id, connection);
    const bool reads = (connection.events & EPOLLIN) != 0;
    const bool left = (what & EPOLLERR) != 0 || ((what & EPOLLHUP) != 0 && !reads && !connection.queued);
    if (left || ((what & (EPOLLIN | EPOLLHUP)) != 0 && reads && !read_some(id, connection))) drop(id);
  }
  close_overdue();
}

// --- reading -------------------------------------------------------------------------------------------

// False: the connection is to be closed.
bool ZmtpServer::read_some(ConnectionId id, Connection& connection) {
  std::array<char, kReadAtOnce> bytes;
  MessageReader& reader = connection.reader;
  const std::size_t space = std::min(reader.space(), bytes.size());
  if (space == 0) return true;
  const ssize_t got = read(connection.fd, bytes.data(), space);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  const auto size = static_cast<std::size_t>(got);
  if (reader.is_between_messages() && reader.has_greeted()) connection.waits_since = Clock::now();
  reader.append({bytes.data(), size});
  connection.count(size);
  connection.ended = size == 0;
  if (connection.ended || !reader.fills_large_frame()) queue(id, connection);
  return true;
}

void ZmtpServer::queue(ConnectionId id, Connection& connection) {
  if (connection.queued) return;
  connection.queued = true;
  (connection.lately > kMuch ? busy_ : ready_).push_back(id);
  watch(id, connection);
}

// A connection is read if what was read before is used up, and its answers are read.
void ZmtpServer::watch(ConnectionId id, Connection& connection) {
  const bool reads = !connection.queued && !connection.ended && !connection.reader.waits_for_memory() &&
                     connection.unsent <= limits_.unsent_of_connection;
  const std::uint32_t events =
      (reads ? std::uint32_t{EPOLLIN} : 0U) | (connection.unsent > 0 ? std::uint32_t{EPOLLOUT} : 0U);
  if (events == connection.events) return;
  connection.events = events;
  watch_fd(epoll_, EPOLL_CTL_MOD, connection.fd, id, events);
}

ZmtpServer::Progress ZmtpServer::advance(ConnectionId id, Connection& connection) {
  if (connection.unsent > limits_.unsent_of_connection) return Progress::none;
  std::string reply;
  const auto reserve = [&](std::size_t bytes) { return budget_.reserve(connection.uid, bytes); };
  const Progress progress = connection.reader.advance(reserve, socket_type_, reply);
  if (!reply.empty()) write_out(id, connection, std::move(reply));
  if (connection.reader.waits_for_memory() && progress == Progress::none) {
    waiting_.push_back(id);
    held_when_refused_ = budget_.held();
  }
  return progress;
}

// --- writing -------------------------------------------------------------------------------------------

void ZmtpServer::send(ConnectionId id, const std::vector<std::string>& frames) {
  const auto at = connections_.find(id);
  if (at != connections_.end()) write_out(id, at->second, at->second.encode(frames));
}

void ZmtpServer::write_out(ConnectionId id, Connection& connection, std::string bytes) {
  const bool idle = connection.out.empty();
  if (idle) connection.read_at = Clock::now();
  connection.unsent += bytes.size();
  users_[connection.uid].unsent += bytes.size();
  unsent_ += bytes.size();
  connection.out.push_back(std::move(bytes));
  if (idle) write_some(id, connection);
  watch(id, connection);
}

// A connection that cannot be written any more is reported by the kernel, and closed then.
void ZmtpServer::write_some(ConnectionId id, Connection& connection) {
  const bool was_full = connection.unsent > limits_.unsent_of_connection;
  std::size_t written = 0;
  while (!connection.out.empty() && written < kWrittenAtOnce) {
    const std::string& bytes = connection.out.front();
    const ssize_t put =
        ::send(connection.fd, bytes.data() + connection.sent, bytes.size() - connection.sent, MSG_NOSIGNAL);
    if (put < 0) break;
    written += static_cast<std::size_t>(put);
    connection.sent += static_cast<std::size_t>(put);
    if (connection.sent < bytes.size()) continue;
    connection.unsent -= bytes.size();
    users_[connection.uid].unsent -= bytes.size();
    unsent_ -= bytes.size();
    connection.out.pop_front();
    connection.sent = 0;
  }
  if (written > 0) connection.read_at = Clock::now();
  if (was_full && connection.unsent <= limits_.unsent_of_connection) queue(id, connection);
  watch(id, connection);
}

void ZmtpServer::flush(std::chrono::milliseconds patience) {
  const auto end = Clock::now() + patience;
  while (unsent_ > 0 && Clock::now() < end) {
    std::vector<pollfd> fds;
    for (auto& [id, connection] : connections_) {
      if (connection.unsent == 0) continue;
      write_some(id, connection);
      fds.push_back({connection.fd, POLLOUT, 0});
    }
    [[maybe_unused]] const int ready = poll(fds.data(), fds.size(), 10);
    const auto broken = [](const pollfd& each) { return (each.revents & (POLLERR | POLLHUP)) != 0; };
    if (std::ranges::all_of(fds, broken)) return;
  }
}

}  // namespace aliquot
