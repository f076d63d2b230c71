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
#include <tuple>
#include <utility>

#include "monitor/http_connection.hpp"

namespace aliquot {
namespace {

constexpr int kPollMs = 250;             // deadlines are looked at this often
constexpr int kStreamBuffer = 64 << 10;  // of the kernel: a reader that is slow shows

HttpAnswer plain(int status, const char* words) { return {status, "text/plain; charset=utf-8", words}; }

}  // namespace

// `Id` numbers connections in the order in which they were accepted.
class HttpServer::Loop {
  using Clock = HttpConnection::Clock;
  using Phase = HttpConnection::Phase;

 public:
  Loop(int listening, std::vector<ServedPage> pages, HttpLimits limits)
      : listening_(listening),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        pages_(std::move(pages)),
        limits_(limits) {
    if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    for (const ServedPage& page : pages_)
      if (page.feed) page.feed->attach([this] { wake(); });
    for (std::size_t i = 0; i < limits_.workers; ++i) workers_.emplace_back([this] { make_pages(); });
    thread_ = std::thread([this] { serve(); });
  }
  ~Loop() {
    for (const ServedPage& page : pages_)
      if (page.feed) page.feed->attach({});
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
    std::optional<HttpPosted> posted;
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
      if (fds[0].revents != 0) {
        take_pages();
        send_news();
      }
      for (std::size_t i = 0; i < ids.size(); ++i)
        if (fds[i + 2].revents != 0) serve(ids[i], fds[i + 2].revents);
      if (fds[1].revents != 0) accept_all();
      close_overdue();
    }
  }

  static short events_of(const HttpConnection& connection) {
    switch (connection.phase) {
      case Phase::reading:
        return POLLIN;
      case Phase::waiting_for_page:
        return 0;
      case Phase::sending:
        return POLLOUT;
      case Phase::following:
        return static_cast<short>(connection.is_idle() ? POLLIN : POLLIN | POLLOUT);
    }
    return 0;
  }

  void serve(Id id, short ready) {
    const auto at = connections_.find(id);
    if (at != connections_.end() && ((ready & (POLLERR | POLLNVAL)) != 0 || !go_on(id, ready))) drop(id);
  }
  // False: the connection is to be closed.
  bool go_on(Id id, short ready) {
    switch (connections_.at(id).phase) {
      case Phase::reading:
        return read_some(id);
      case Phase::waiting_for_page:
        return (ready & POLLHUP) == 0;
      case Phase::sending:
        return send_some(id);
      case Phase::following:
        if ((ready & (POLLIN | POLLHUP)) != 0 && !connections_.at(id).skip()) return false;
        return send_stream(id);
    }
    return false;
  }

  void accept_all() {
    for (;;) {
      sockaddr_storage name{};
      socklen_t length = sizeof name;
      const int fd =
          accept4(listening_, reinterpret_cast<sockaddr*>(&name), &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0 && (errno == EMFILE || errno == ENFILE) && !connections_.empty()) {
        drop(oldest());
        continue;
      }
      if (fd < 0) return;
      if (connections_.size() >= limits_.connections) drop(oldest());
      HttpConnection connection;
      std::tie(connection.address, connection.from_here) = client_of(name);
      connection.fd = fd;
      connection.deadline = Clock::now() + limits_.to_ask;
      const Id id = ++newest_;
      connections_.emplace(id, std::move(connection));
      if (!read_some(id)) drop(id);  // what has come already
    }
  }

  // A stream is old because it is used; there are few of them.
  [[nodiscard]] Id oldest() const {
    const auto at = std::ranges::find_if(connections_, [](const auto& each) { return !each.second.feed; });
    return at == connections_.end() ? connections_.begin()->first : at->first;
  }

  bool read_some(Id id) {
    HttpConnection& connection = connections_.at(id);
    const std::size_t before = connection.in.size();
    if (!connection.receive()) return false;
    return connection.in.size() == before || take_request(id);
  }

  // Serves the next request, if it has come as a whole.
  bool take_request(Id id) {
    HttpConnection& connection = connections_.at(id);
    if (connection.posted_to) return take_body(id);
    const std::size_t end = connection.in.find("\r\n\r\n");
    if (end == std::string::npos) {
      if (connection.in.size() <= limits_.head_bytes) return true;
      return answer(id, plain(431, "the request is too long\n"), false);
    }
    auto request = parse_http_head(std::string_view(connection.in).substr(0, end + 2));
    connection.in.erase(0, end + 4);
    if (!request) return answer(id, request.error(), false);
    connection.head_only = request->head_only;
    connection.keep_alive = request->keep_alive;
    const auto page = std::find_if(pages_.begin(), pages_.end(),
                                   [&](const ServedPage& each) { return each.path == request->path; });
    if (page == pages_.end())
      return answer(id, plain(404, "there is no such page\n"), request->keep_alive && !request->posts);
    if (request->posts != static_cast<bool>(page->post))
      return answer(id, plain(405, "this page is asked for in another way\n"), false);
    if (request->posts) return begin_body(id, *page, std::move(*request));
    if (page->feed) return follow(id, *page->feed, *request);
    if (page->quick) return answer(id, page->answer(request->parameters), request->keep_alive);
    return order(id, {id, &*page, request->parameters, {}});
  }

  bool begin_body(Id id, const ServedPage& page, HttpRequest request) {
    if (request.body_bytes > limits_.body_bytes)
      return answer(id, plain(413, "the body is too long\n"), false);
    if (bodies_ + request.body_bytes > limits_.bodies_bytes)
      return answer(id, plain(503, "too many requests at once; ask again\n"), false);
    bodies_ += request.body_bytes;
    HttpConnection& connection = connections_.at(id);
    connection.posted_to = &page;
    connection.posted = std::move(request);
    return take_body(id);
  }

  bool take_body(Id id) {
    HttpConnection& connection = connections_.at(id);
    const std::size_t bytes = connection.posted.body_bytes;
    if (connection.in.size() < bytes) return true;
    HttpPosted posted{std::move(connection.posted), connection.in.substr(0, bytes), connection.address,
                      connection.from_here};
    connection.in.erase(0, bytes);
    bodies_ -= bytes;
    const ServedPage* page = std::exchange(connection.posted_to, nullptr);
    return order(id, {id, page, {}, std::move(posted)});
  }

  bool order(Id id, Work work) {
    HttpConnection& connection = connections_.at(id);
    bool taken = false;
    {
      const std::lock_guard lock(mutex_);
      taken = queue_.size() < limits_.waiting && unsent_ <= limits_.unsent_bytes;
      if (taken) queue_.push_back(std::move(work));
    }
    if (!taken)
      return answer(id, plain(503, "too many requests at once; ask again\n"), connection.keep_alive);
    connection.phase = Phase::waiting_for_page;
    work_.notify_one();
    return true;
  }

  bool make_way_for(const HttpConnection& newcomer) {
    const auto given_up = stream_given_up(connections_, newcomer);
    if (given_up) drop(*given_up);
    return given_up.has_value();
  }

  bool follow(Id id, LiveFeed& feed, const HttpRequest& request) {
    if (request.head_only) return answer(id, plain(405, "a stream is asked for by GET\n"), false);
    if (streams_ >= limits_.streams && !make_way_for(connections_.at(id)))
      return answer(id, plain(503, "too many follow at once; ask again\n"), false);
    HttpConnection& connection = connections_.at(id);
    setsockopt(connection.fd, SOL_SOCKET, SO_SNDBUF, &kStreamBuffer, sizeof kStreamBuffer);
    ++streams_;
    connection.feed = &feed;
    if (const auto newest = feed.newest(); newest && newest->id == request.last_event_id)
      connection.seen = newest->number;
    connection.phase = Phase::following;
    connection.deadline = Clock::now() + limits_.to_read;
    connection.out = encode_stream_head();
    unsent_ += connection.out.size();
    feed.reader_came();
    return send_stream(id);
  }

  bool send_stream(Id id) {
    HttpConnection& connection = connections_.at(id);
    for (;;) {
      if (connection.is_idle()) {
        auto newest = connection.feed->newest();
        if (!newest || newest->number == connection.seen) return true;
        connection.message = std::move(newest);
        connection.deadline = Clock::now() + limits_.to_read;
      }
      const std::string& text = connection.out.empty() ? connection.message->text : connection.out;
      if (!connection.send_more(text)) return false;
      if (connection.sent < text.size()) return true;
      connection.sent = 0;
      if (connection.out.empty()) connection.seen = std::exchange(connection.message, nullptr)->number;
      unsent_ -= connection.out.size();
      connection.out = {};
      connection.deadline = Clock::now() + limits_.beat;
    }
  }

  void send_news() {
    std::vector<Id> idle;
    for (const auto& [id, connection] : connections_)
      if (connection.feed && connection.is_idle()) idle.push_back(id);
    for (const Id id : idle)
      if (!send_stream(id)) drop(id);
  }

  bool answer(Id id, const HttpAnswer& given, bool keep_alive) {
    HttpConnection& connection = connections_.at(id);
    connection.keep_alive = keep_alive;
    connection.out = encode_http_answer(given, connection.head_only, keep_alive);
    connection.sent = 0;
    connection.phase = Phase::sending;
    connection.deadline = Clock::now() + limits_.to_read;
    unsent_ += connection.out.size();
    return send_some(id);
  }

  bool send_some(Id id) {
    HttpConnection& connection = connections_.at(id);
    if (!connection.send_more(connection.out)) return false;
    if (connection.sent < connection.out.size()) return true;
    unsent_ -= connection.out.size();
    connection.out = {};
    connection.sent = 0;
    if (!connection.keep_alive) return false;
    connection.phase = Phase::reading;
    connection.deadline = Clock::now() + limits_.to_ask;
    return connection.in.empty() || take_request(id);
  }

  void drop(Id id) {
    const auto at = connections_.find(id);
    if (at == connections_.end()) return;
    const HttpConnection& connection = at->second;
    unsent_ -= connection.out.size();
    if (connection.posted_to) bodies_ -= connection.posted.body_bytes;
    if (connection.feed) {
      --streams_;
      connection.feed->reader_left();
    }
    close(connection.fd);
    connections_.erase(at);
  }

  void close_overdue() {
    const auto now = Clock::now();
    std::vector<Id> overdue;
    for (const auto& [id, connection] : connections_)
      if (connection.phase != Phase::waiting_for_page && connection.deadline <= now) overdue.push_back(id);
    for (const Id id : overdue)
      if (!beat(id)) drop(id);
  }
  // False: it is no stream that is due to be told that it stands.
  bool beat(Id id) {
    HttpConnection& connection = connections_.at(id);
    if (!connection.feed || !connection.is_idle()) return false;
    connection.out = HttpConnection::kBeat;
    unsent_ += connection.out.size();
    connection.deadline = Clock::now() + limits_.to_read;
    return send_stream(id);
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
      HttpAnswer made = work.posted ? work.page->post(*work.posted) : work.page->answer(work.parameters);
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
  HttpConnections connections_;
  Id newest_ = 0;
  std::size_t unsent_ = 0;  // of answers
  std::size_t bodies_ = 0;  // of requests that have not come as a whole
  std::size_t streams_ = 0;
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
