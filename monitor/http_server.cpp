#include "monitor/http_server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace aliquot {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadAtOnce = 4096;
constexpr int kPollMs = 250;  // deadlines are looked at this often

struct Connection {
  enum class Phase { reading, waiting_for_page, sending };
  int fd = -1;
  Phase phase = Phase::reading;
  Clock::time_point deadline;
  std::string in;   // of requests, as far as they have come
  std::string out;  // the answer
  std::size_t sent = 0;
  bool head_only = false;
  bool keep_alive = false;
};

HttpAnswer plain(int status, const char* words) { return {status, "text/plain; charset=utf-8", words}; }

}  // namespace

// `Id` numbers connections in the order in which they were accepted.
class HttpServer::Loop {
 public:
  Loop(int listening, std::vector<ServedPage> pages, HttpLimits limits)
      : listening_(listening),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        pages_(std::move(pages)),
        limits_(limits) {
    if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    for (std::size_t i = 0; i < limits_.workers; ++i) workers_.emplace_back([this] { make_pages(); });
    thread_ = std::thread([this] { serve(); });
  }
  ~Loop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    work_.notify_all();
    wake();
    thread_.join();
    for (std::thread& worker : workers_) worker.join();
    for (const auto& [id, connection] : connections_) close(connection.fd);
    close(listening_);
    close(wake_);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

 private:
  using Id = std::uint64_t;
  struct Work {
    Id id;
    const ServedPage* page;
    HttpParameters parameters;
  };

  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);
  }

  void serve() {
    while (!stop_) {
      std::vector<Id> ids;
      std::vector<pollfd> fds{{wake_, POLLIN, 0}, {listening_, POLLIN, 0}};
      for (const auto& [id, connection] : connections_) {
        ids.push_back(id);
        fds.push_back({connection.fd, events_of(connection), 0});
      }
      [[maybe_unused]] const int ready = poll(fds.data(), fds.size(), kPollMs);
      if (fds[0].revents != 0) take_pages();
      for (std::size_t i = 0; i < ids.size(); ++i)
        if (fds[i + 2].revents != 0) serve(ids[i], fds[i + 2].revents);
      if (fds[1].revents != 0) accept_all();
      close_overdue();
    }
  }

  static short events_of(const Connection& connection) {
    if (connection.phase == Connection::Phase::reading) return POLLIN;
    return connection.phase == Connection::Phase::sending ? POLLOUT : 0;
  }

  void serve(Id id, short ready) {
    const auto at = connections_.find(id);
    if (at == connections_.end()) return;
    const bool alive = (ready & (POLLERR | POLLNVAL)) == 0;
    const bool reads = at->second.phase == Connection::Phase::reading;
    const bool sends = at->second.phase == Connection::Phase::sending;
    if (!alive || (reads && !read_some(id)) || (sends && !send_some(id)) ||
        (!reads && !sends && (ready & POLLHUP) != 0))
      drop(id);
  }

  void accept_all() {
    for (;;) {
      const int fd = accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0 && (errno == EMFILE || errno == ENFILE) && !connections_.empty()) {
        drop(connections_.begin()->first);
        continue;
      }
      if (fd < 0) return;
      if (connections_.size() >= limits_.connections) drop(connections_.begin()->first);
      Connection connection;
      connection.fd = fd;
      connection.deadline = Clock::now() + limits_.to_ask;
      const Id id = ++newest_;
      connections_.emplace(id, std::move(connection));
      if (!read_some(id)) drop(id);  // what has come already
    }
  }

  // False: the connection is to be closed.
  bool read_some(Id id) {
    Connection& connection = connections_.at(id);
    char bytes[kReadAtOnce];
    const ssize_t got = read(connection.fd, bytes, sizeof bytes);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    connection.in.append(bytes, static_cast<std::size_t>(got));
    return take_request(id);
  }

  // Serves the next request, if it has come as a whole.
  bool take_request(Id id) {
    Connection& connection = connections_.at(id);
    const std::size_t end = connection.in.find("\r\n\r\n");
    if (end == std::string::npos) {
      if (connection.in.size() <= limits_.head_bytes) return true;
      return answer(id, plain(431, "the request is too long\n"), false);
    }
    const auto request = parse_http_head(std::string_view(connection.in).substr(0, end + 2));
    connection.in.erase(0, end + 4);
    if (!request) return answer(id, request.error(), false);
    connection.head_only = request->head_only;
    connection.keep_alive = request->keep_alive;
    const auto page = std::find_if(pages_.begin(), pages_.end(),
                                   [&](const ServedPage& each) { return each.path == request->path; });
    if (page == pages_.end()) return answer(id, plain(404, "there is no such page\n"), request->keep_alive);
    if (page->quick) return answer(id, page->answer(request->parameters), request->keep_alive);
    return order(id, *page, request->parameters);
  }

  bool order(Id id, const ServedPage& page, const HttpParameters& parameters) {
    Connection& connection = connections_.at(id);
    bool taken = false;
    {
      const std::lock_guard lock(mutex_);
      taken = queue_.size() < limits_.waiting && unsent_ <= limits_.unsent_bytes;
      if (taken) queue_.push_back({id, &page, parameters});
    }
    if (!taken)
      return answer(id, plain(503, "too many requests at once; ask again\n"), connection.keep_alive);
    connection.phase = Connection::Phase::waiting_for_page;
    work_.notify_one();
    return true;
  }

  bool answer(Id id, const HttpAnswer& given, bool keep_alive) {
    Connection& connection = connections_.at(id);
    connection.keep_alive = keep_alive;
    connection.out = encode_http_answer(given, connection.head_only, keep_alive);
    connection.sent = 0;
    connection.phase = Connection::Phase::sending;
    connection.deadline = Clock::now() + limits_.to_read;
    unsent_ += connection.out.size();
    return send_some(id);
  }

  bool send_some(Id id) {
    Connection& connection = connections_.at(id);
    while (connection.sent < connection.out.size()) {
      const ssize_t put = send(connection.fd, connection.out.data() + connection.sent,
                               connection.out.size() - connection.sent, MSG_NOSIGNAL);
      if (put < 0) return errno == EAGAIN || errno == EINTR;
      connection.sent += static_cast<std::size_t>(put);
    }
    unsent_ -= connection.out.size();
    connection.out = {};
    connection.sent = 0;
    if (!connection.keep_alive) return false;
    connection.phase = Connection::Phase::reading;
    connection.deadline = Clock::now() + limits_.to_ask;
    return connection.in.empty() || take_request(id);
  }

  void drop(Id id) {
    const auto at = connections_.find(id);
    if (at == connections_.end()) return;
    unsent_ -= at->second.out.size();
    close(at->second.fd);
    connections_.erase(at);
  }

  void close_overdue() {
    const auto now = Clock::now();
    std::vector<Id> overdue;
    for (const auto& [id, connection] : connections_)
      if (connection.phase != Connection::Phase::waiting_for_page && connection.deadline <= now)
        overdue.push_back(id);
    for (const Id id : overdue) drop(id);
  }

  // On the threads of the workers.
  void make_pages() {
    for (;;) {
      std::unique_lock lock(mutex_);
      work_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      if (stop_) return;
      const Work work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      HttpAnswer made = work.page->answer(work.parameters);
      lock.lock();
      made_.emplace_back(work.id, std::move(made));
      lock.unlock();
      wake();
    }
  }

  void take_pages() {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = read(wake_, &count, sizeof count);
    std::vector<std::pair<Id, HttpAnswer>> made;
    {
      const std::lock_guard lock(mutex_);
      made.swap(made_);
    }
    for (const auto& [id, page] : made) {
      const auto at = connections_.find(id);
      if (at != connections_.end() && !answer(id, page, at->second.keep_alive)) drop(id);
    }
  }

  const int listening_;
  const int wake_;  // an eventfd: pages have been made, or stop
  const std::vector<ServedPage> pages_;
  const HttpLimits limits_;
  // Of the serving thread.
  std::map<Id, Connection> connections_;
  Id newest_ = 0;
  std::size_t unsent_ = 0;
  // Shared with the workers.
  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<Work> queue_;
  std::vector<std::pair<Id, HttpAnswer>> made_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
  std::thread thread_;
};

HttpServer::HttpServer(int listening_socket, std::vector<ServedPage> pages, HttpLimits limits)
    : loop_(std::make_unique<Loop>(listening_socket, std::move(pages), limits)) {}
HttpServer::~HttpServer() = default;

}  // namespace aliquot
