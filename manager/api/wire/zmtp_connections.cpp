// How connections begin and end.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "manager/api/wire/epoll_watch.hpp"
#include "manager/api/wire/tcp_socket.hpp"
#include "manager/api/wire/zmtp.hpp"
#include "manager/api/wire/zmtp_server.hpp"

namespace aliquot {
namespace {

constexpr int kAcceptedAtOnce = 64;
constexpr auto kDeadlinesEvery = std::chrono::milliseconds(100);
constexpr std::uint32_t kNobody = UINT32_MAX;
constexpr std::string_view kRefusedKey("\5ERROR\003400", 10);  // as libzmq says it and understands it

std::uint32_t user_of(const Result<Credentials>& peer) { return peer ? peer->uid : kNobody; }

}  // namespace

void ZmtpServer::accept_all() {
  for (int n = 0; n < kAcceptedAtOnce; ++n) {
    const int fd = listener_.accept();
    if (fd < 0 && (errno == EMFILE || errno == ENFILE) && !users_.empty()) {
      evict_one();
      continue;
    }
    if (fd < 0) return;
    take_connection(fd);
  }
}

void ZmtpServer::take_connection(int fd) {
  ++counters_.accepted;
  Result<Credentials> peer =
      entrance_ ? fail(ErrorKind::forbidden, "the client has not shown its key") : peer_of(fd, path_);
  const std::uint32_t uid = user_of(peer);
  evict_for(uid);
  const ConnectionId id = ++newest_;
  const MessageReader::Bounds bounds{limits_.frame_bytes, limits_.frames};
  Connection& connection =
      connections_.try_emplace(id, fd, std::move(peer), bounds, entrance_ ? &entrance_->keys : nullptr)
          .first->second;
  if (entrance_) {
    watch_peer(fd);
    connection.address = peer_address(fd);
  }
  connection.uid = uid;
  connection.heard = ++clock_;
  connection.waits_since = connection.read_at = Clock::now();
  connection.events = EPOLLIN;
  ++users_[uid].connections;
  watch_fd(epoll_, EPOLL_CTL_ADD, fd, id, connection.events);
  write_out(id, connection, zmtp::greeting(entrance_ ? zmtp::Mechanism::curve : zmtp::Mechanism::null));
}

// Until now the connection was of no user.
void ZmtpServer::let_in(ConnectionId id, Connection& connection) {
  auto who = entrance_->admit(connection.reader.client_key());
  if (!who) {
    write_out(id, connection, zmtp::command_frame(kRefusedKey));
    return refuse(id, who.error().message);
  }
  const auto own = users_.find(who->uid);
  if (own != users_.end() && own->second.connections >= limits_.of_user) evict_from(who->uid);
  const auto before = users_.find(connection.uid);
  before->second.unsent -= connection.unsent;
  if (--before->second.connections == 0) users_.erase(before);
  connection.uid = who->uid;
  users_[who->uid].unsent += connection.unsent;
  ++users_[who->uid].connections;
  who->address = connection.address;
  connection.peer = std::move(who);
  std::string reply;
  connection.reader.admit(socket_type_, reply);
  write_out(id, connection, std::move(reply));
  queue(id, connection);
}

void ZmtpServer::refuse(ConnectionId id, const std::string& why) {
  if (entrance_->refused) entrance_->refused(connections_.at(id).address, why);
  drop(id, counters_.closed_refused);
}

void ZmtpServer::close_those(const std::function<bool(const Credentials&)>& are) {
  std::vector<ConnectionId> found;
  for (const auto& [id, connection] : connections_)
    if (connection.peer && are(*connection.peer)) found.push_back(id);
  for (const ConnectionId id : found) drop(id);
}

// Closes a connection if there are too many.
void ZmtpServer::evict_for(std::uint32_t uid) {
  const auto own = users_.find(uid);
  if (own != users_.end() && own->second.connections >= limits_.of_user) return evict_from(uid);
  if (connections_.size() >= limits_.connections) evict_one();
}

// Of the user with the most.
void ZmtpServer::evict_one() {
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

}  // namespace aliquot
