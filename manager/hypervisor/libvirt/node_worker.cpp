#include "manager/hypervisor/libvirt/node_worker.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace aliquot {
namespace {

constexpr std::chrono::milliseconds kFirstRetry{200};
constexpr std::chrono::milliseconds kLastRetry{5'000};
// A hanging libvirtd accepts a connection and never answers on it.
constexpr std::chrono::seconds kOpenPatience{30};
constexpr std::chrono::seconds kSurveyEvery{5};
constexpr std::uint32_t kStuckOpensAtMost = 4;
constexpr std::uint32_t kEnding = 2;  // VMs at once: a VM that does not terminate does not delay the others

}  // namespace

NodeWorker::NodeWorker(NodeId id, NodeSettings settings, const HypervisorSettings& common,
                       std::shared_ptr<Watchdog> watchdog, Listener listener)
    : id_(id),
      settings_(std::move(settings)),
      fast_deadline_(common.fast_deadline),
      long_deadline_(common.long_deadline),
      watchdog_(std::move(watchdog)),
      listener_(std::move(listener)),
      pool_(ConnectionPool::make(settings_.name, settings_.uri)) {}

std::shared_ptr<NodeWorker> NodeWorker::start(NodeId id, NodeSettings settings,
                                              const HypervisorSettings& common,
                                              std::shared_ptr<Watchdog> watchdog, Listener listener) {
  ensure_event_loop();
  std::shared_ptr<NodeWorker> worker(
      new NodeWorker(id, std::move(settings), common, std::move(watchdog), std::move(listener)));
  const auto on_overdue = [weak = std::weak_ptr(worker)](const QueuedCall& call) {
    if (const auto self = weak.lock()) self->ask_for_sign_of_life(call.what);
  };
  const std::uint32_t many = std::max<std::uint32_t>(1, common.long_lane);
  const std::uint32_t threads[] = {1, 1, many, kEnding, 1, many};
  for (std::size_t i = 0; i < worker->queues_.size(); ++i) {
    worker->queues_[i] =
        CallQueue::start("node " + worker->settings_.name, threads[i], worker->watchdog_, on_overdue);
  }
  const std::lock_guard lock(worker->mutex_);
  worker->spawn_connection_thread();
  return worker;
}

void NodeWorker::Stopwatch::complete(std::optional<ErrorKind> error) const {
  const Clock::time_point began = began_;
  if (began == Clock::time_point{} || !worker_->listener_.on_call) return;
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began);
  worker_->listener_.on_call({worker_->id_, kind_, {took.count()}, error});
}

std::shared_ptr<Connection> NodeWorker::connection() const {
  const std::lock_guard lock(mutex_);
  return connection_;
}

Result<std::shared_ptr<Connection>> NodeWorker::take_connection(const std::string& what) const {
  if (!connection()) return tl::unexpected(unconnected(what));
  return pool_->take();
}

std::size_t NodeWorker::withdraw(const std::function<bool(const QueuedCall&)>& which, const Error& why) {
  std::size_t count = 0;
  for (const auto& each : queues_) {
    for (const QueuedCall& call : each->withdraw(which)) count += call.give_up(why) ? 1 : 0;
  }
  return count;
}

void NodeWorker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  for (const auto& each : queues_) each->stop();
}

// The mutex is held.
void NodeWorker::spawn_connection_thread() {
  ++generation_;
  std::thread([self = shared_from_this(), generation = generation_] {
    self->maintain_connection(generation);
  }).detach();
}

bool NodeWorker::stale(std::uint32_t generation) const {
  const std::lock_guard lock(mutex_);
  return stopping_ || generation != generation_;
}

void NodeWorker::maintain_connection(std::uint32_t generation) {
  auto pause = kFirstRetry;
  while (!stale(generation)) {
    std::string why;
    const bool was_up = hold_connection(generation, why);
    if (stale(generation)) return;
    report(NodeState::suspect, why);
    pause = was_up ? kFirstRetry : std::min(pause * 2, kLastRetry);
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, pause, [&] { return stopping_; });
  }
}

// Opens a connection and waits until it is lost; false if none could be opened.
bool NodeWorker::hold_connection(std::uint32_t generation, std::string& why) {
  auto watched = open_in_time(generation);
  if (!watched || stale(generation)) {
    if (!watched) why = watched.error().message;
    return false;
  }
  {
    const std::lock_guard lock(mutex_);
    connection_ = std::move(watched->connection);
    lost_why_.reset();
  }
  report_connected();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kSurveyEvery, [&] { return stopping_ || lost_why_ || !connection_; })) {
    lock.unlock();
    survey();
    lock.lock();
  }
  connection_.reset();
  why = "node " + settings_.name + ": " + lost_why_.value_or("the manager is stopping");
  lock.unlock();
  watched->watch->mute();
  // Reported before the old connection is closed, which may take as long as its keepalive timeout.
  if (!stale(generation)) report(NodeState::suspect, why);
  pool_->clear();
  return true;
}

// Each of the calls that this takes may hang: kOpenPatience covers all of them together.
Result<NodeWorker::Watched> NodeWorker::open_in_time(std::uint32_t generation) {
  const auto ticket = watchdog_->after(kOpenPatience, [weak = weak_from_this(), generation] {
    if (const auto self = weak.lock()) self->reopen(generation);
  });
  auto watched = open_watched();
  watchdog_->cancel(ticket);
  return watched;
}

Result<NodeWorker::Watched> NodeWorker::open_watched() {
  auto opened = Connection::open(settings_.name, settings_.uri);
  if (!opened) return tl::unexpected(opened.error());
  if (listener_.admit) {
    const auto admitted = host_uuid(**opened).and_then(listener_.admit);
    note_refusal(admitted ? "" : admitted.error().message);
    if (!admitted) return tl::unexpected(admitted.error());
  }
  auto watch = ConnectionWatch::start(
      *opened, {[this](const Uuid& vm, NodeEvent event) { listener_.on_event(vm, event); },
                [this](const std::string& reason) { lost(reason); }});
  if (!watch) return tl::unexpected(watch.error());
  if (listener_.survey) {
    auto survey = listener_.survey(**opened);
    if (!survey) return tl::unexpected(survey.error());
    {
      const std::lock_guard lock(mutex_);
      other_cluster_ = survey->other_cluster;
    }
    if (listener_.on_survey) listener_.on_survey(std::move(*survey));
  }
  return Watched{std::move(*opened), std::move(*watch)};
}

// A refusal is reported although the node was suspect before, for another reason.
void NodeWorker::note_refusal(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!why.empty() && why != refusal_) reported_.reset();
  refusal_ = why;
}

std::string NodeWorker::other_cluster() const {
  const std::lock_guard lock(mutex_);
  return other_cluster_;
}

void NodeWorker::report_connected() {
  const std::string other = other_cluster();
  if (other.empty()) return report(NodeState::up, "connected to " + settings_.uri);
  report(NodeState::suspect, "node " + settings_.name + ": VMs of another cluster (" + other.substr(0, 8) +
                                 ") run on it: take the node out of the configuration of one of the two");
}

// Through the queue, whose deadline covers a libvirtd that hangs. No answer leaves the state as it is.
void NodeWorker::survey() {
  if (!listener_.survey) return;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(surveying_, true)) return;
  }
  call<NodeSurvey>(QueueName::watch, {{}, {}, "list its VMs", "list"}, listener_.survey,
                   [weak = weak_from_this()](Result<NodeSurvey> survey) {
                     const auto self = weak.lock();
                     if (!self) return;
                     if (survey) self->take(std::move(*survey));
                     const std::lock_guard lock(self->mutex_);
                     self->surveying_ = false;
                   });
}

void NodeWorker::take(NodeSurvey survey) {
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    is_news = survey.other_cluster != other_cluster_ && connection_ && !lost_why_;
    other_cluster_ = survey.other_cluster;
  }
  if (listener_.on_survey) listener_.on_survey(std::move(survey));
  if (is_news) report_connected();
}

// On the watchdog's thread: opening takes too long, so another connection thread tries anew.
void NodeWorker::reopen(std::uint32_t generation) {
  if (stale(generation)) return;
  report(NodeState::suspect,
         "node " + settings_.name + ": " + settings_.uri +
             " takes the connection and does not answer; it is tried anew: look after libvirtd there");
  const std::lock_guard lock(mutex_);
  if (!stopping_ && generation <= kStuckOpensAtMost) spawn_connection_thread();
}

// A missed deadline says little of the node: libvirt makes calls wait for the QEMU of their VM, and that
// one may hang alone. Only a libvirtd that cannot say its version either is out of use. A failure is an
// answer, and the loss of the connection is reported by its watch.
void NodeWorker::ask_for_sign_of_life(const std::string& missed) {
  constexpr std::string_view kQuestion = "give a sign of life";
  if (missed == kQuestion) return;  // this question's own deadline: its answer below tells
  const auto asked = connection();
  call<bool>(
      QueueName::ping, {{}, {}, std::string(kQuestion), "ping"},
      [](Connection& connection) -> Result<bool> {
        unsigned long version = 0;
        return virConnectGetLibVersion(connection.get(), &version) == 0;
      },
      [weak = weak_from_this(), asked, missed](const Result<bool>& answer) {
        const auto self = weak.lock();
        if (!self || answer || answer.error().kind != ErrorKind::timeout) return;
        if (self->connection() != asked) return;  // a new connection stands already
        self->lost("it did not answer in time to: " + missed);
      });
}

void NodeWorker::lost(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (connection_ && !lost_why_) lost_why_ = why;
  changed_.notify_all();
}

void NodeWorker::report(NodeState state, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || reported_ == state) return;
    reported_ = state;
  }
  listener_.on_state(state, why);
}

Error NodeWorker::unconnected(const std::string& what) const {
  return {ErrorKind::unavailable, "node " + settings_.name + ": cannot " + what +
                                      ": it is not connected; it is tried again by itself"};
}

}  // namespace aliquot
