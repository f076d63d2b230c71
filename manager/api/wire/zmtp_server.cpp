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

#include "manager/api/wire/zmtp.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kReadAtOnce = 64U << 10;
constexpr std::size_t kWrittenAtOnce = 256U << 10;
constexpr std::size_t kTurnsBetweenPolls = 16;
constexpr std::size_t kMuch = 64U << 10;          // bytes in a second
constexpr std::size_t kCostOfMessage = 2U << 10;  // counts as so many bytes
constexpr int kAcceptedAtOnce = 64;
constexpr int kEventsAtOnce = 256;
constexpr auto kDeadlinesEvery = std::chrono::milliseconds(100);
constexpr std::uint32_t kNobody = UINT32_MAX;
constexpr ConnectionId kListener = 0;

std::uint32_t user_of(const Result<Credentials>& peer) { return peer ? peer->uid : kNobody; }

void watch_fd(int epoll, int operation, int fd, ConnectionId id, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  if (epoll_ctl(epoll, operation, fd, &event) != 0)
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

}  // namespace

ZmtpServer::ZmtpServer(int listening_socket, std::string path, std::string socket_type,
                       ZmtpServerLimits limits)
    : listening_(listening_socket),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      path_(std::move(path)),
      socket_type_(std::move(socket_type)),
      limits_(limits),
      budget_(limits.large_bytes_in_all, limits.large_bytes_of_user) {
  if (epoll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  watch_fd(epoll_, EPOLL_CTL_ADD, listening_, kListener, EPOLLIN);
}

ZmtpServer::~ZmtpServer() {
  for (const auto& [id, connection] : connections_) close(connection.fd);
  close(listening_);
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
        count(connection, kCostOfMessage);
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
      case Progress::invalid:
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

// What it sent in a second before this one does not count.
void ZmtpServer::count(Connection& connection, std::size_t bytes) const {
  const auto now = Clock::now();
  if (now - connection.second > std::chrono::seconds(1)) {
    connection.second = now;
    connection.lately = 0;
  }
  connection.lately += bytes;
}

void ZmtpServer::poll_once() {
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
    if (id == kListener) {
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

// --- connections ---------------------------------------------------------------------------------------

void ZmtpServer::accept_all() {
  for (int n = 0; n < kAcceptedAtOnce; ++n) {
    const int fd = accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE) && !users_.empty()) {
      evict_for(kNobody);
      continue;
    }
    if (fd < 0) return;
    ++counters_.accepted;
    auto peer = peer_of(fd, path_);
    const std::uint32_t uid = user_of(peer);
    evict_for(uid);
    const ConnectionId id = ++newest_;
    const MessageReader::Bounds bounds{limits_.frame_bytes, limits_.frames};
    Connection& connection = connections_.try_emplace(id, fd, std::move(peer), bounds).first->second;
    connection.uid = uid;
    connection.heard = ++clock_;
    connection.waits_since = connection.read_at = Clock::now();
    connection.events = EPOLLIN;
    ++users_[uid].connections;
    watch_fd(epoll_, EPOLL_CTL_ADD, fd, id, connection.events);
    write_out(id, connection, zmtp::greeting());
  }
}

// Closes a connection if there are too many, or no more files can be opened.
void ZmtpServer::evict_for(std::uint32_t uid) {
  const auto own = users_.find(uid);
  if (own != users_.end() && own->second.connections >= limits_.of_user) return evict_from(uid);
  if (uid != kNobody && connections_.size() < limits_.connections) return;
  const auto most =
      std::ranges::max_element(users_, {}, [](const auto& user) { return user.second.connections; });
  if (most != users_.end()) evict_from(most->first);
}

void ZmtpServer::evict_from(std::uint32_t uid) {
  const Connection* oldest = nullptr;
  ConnectionId found = 0;
  for (const auto& [id, connection] : connections_) {
    if (connection.uid != uid || (oldest != nullptr && connection.heard > oldest->heard)) continue;
    oldest = &connection;
    found = id;
  }
  if (oldest != nullptr) drop(found, counters_.closed_crowded);
}

void ZmtpServer::drop(ConnectionId id, std::uint64_t& counter) {
  ++counter;
  drop(id);
}

void ZmtpServer::drop(ConnectionId id) {
  const auto at = connections_.find(id);
  const Connection& connection = at->second;
  const auto user = users_.find(connection.uid);
  user->second.unsent -= connection.unsent;
  unsent_ -= connection.unsent;
  if (--user->second.connections == 0) users_.erase(user);
  close(connection.fd);
  connections_.erase(at);
  if (closed_) closed_(id);
}

void ZmtpServer::close_invalid(ConnectionId id) { drop(id, counters_.closed_invalid); }

void ZmtpServer::close_overdue() {
  const auto now = Clock::now();
  if (now - looked_at_deadlines_ < kDeadlinesEvery) return;
  looked_at_deadlines_ = now;
  std::vector<std::pair<ConnectionId, std::uint64_t*>> overdue;
  for (const auto& [id, c] : connections_) {
    const bool in_message = !c.reader.is_between_messages();
    const bool may_go_on = !c.queued && c.unsent <= limits_.unsent_of_connection;
    const auto waits = now - c.waits_since;
    if (c.unsent > 0 && now - c.read_at > limits_.to_read)
      overdue.emplace_back(id, &counters_.closed_unread);
    else if (!c.reader.has_greeted() ? waits > limits_.to_greet
                                     : in_message && may_go_on && waits > limits_.to_complete)
      overdue.emplace_back(id, &counters_.closed_overdue);
  }
  for (const auto& [id, counter] : overdue) {
    if (counter == &counters_.closed_unread) counters_.messages_unread += connections_.at(id).out.size();
    drop(id, *counter);
  }
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
  count(connection, size);
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
  if (at != connections_.end()) write_out(id, at->second, zmtp::encode(frames));
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
