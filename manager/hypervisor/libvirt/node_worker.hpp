// One libvirt node: its connection, which a thread of its own re-opens when it is lost, and six queues of
// calls. The queues are separate so that a save delays neither caps nor the end of another VM, and slow
// statistics delay nothing. The connection carries events and tells whether the node answers; each call is
// made on a connection of its own (connection_pool.hpp).
//
//   fast   caps, release, suspend, abort    one thread, short deadline
//   watch  inspections, statistics, facts   one thread, short deadline
//   slow   create, save, restore, migrate   as many threads as configured, long deadline
//   checkpoint  checkpoints                 the same; not behind others, because the VMs stand still
//   meanwhile ping   a question about no VM           one thread, short deadline end    destroy two
//   threads, long deadline: libvirt waits ten seconds for QEMU
//                                           to terminate before it kills it
//
// A call about one VM may miss its deadline because the QEMU of that VM hangs, so libvirtd is then asked
// for its version. A node whose connection is lost or that leaves that question open too is suspect until a
// new connection is open. A node on which VMs of another cluster run is suspect, too, as long as they do:
// two managers would promise its capacity twice; and a node whose host is not the expected one (hosts.hpp)
// is not connected. Other nodes are not affected. A call owns everything that it needs, because it may
// outlive stop().
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/settings.hpp"
#include "manager/hypervisor/epoch_fence.hpp"
#include "manager/hypervisor/libvirt/call_observer.hpp"
#include "manager/hypervisor/libvirt/call_queue.hpp"
#include "manager/hypervisor/libvirt/connection_pool.hpp"
#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/libvirt/libvirt_events.hpp"
#include "manager/hypervisor/libvirt/lifecycle.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

enum class QueueName : std::uint8_t { fast, watch, slow, end, ping, checkpoint };

// Identifies a call in messages and for its withdrawal.
struct CallKey {
  OpId op;
  Uuid vm{};
  std::string what;
  std::string_view kind;  // for the CallObserver; of static storage
};

class NodeWorker : public std::enable_shared_from_this<NodeWorker> {
 public:
  struct Listener {
    std::function<void(NodeState, std::string why)> on_state;
    std::function<void(const Uuid&, NodeEvent)> on_event;
    std::function<void(const CallReport&)> on_call;
    // Whether the node may be used although its host has this UUID; an Error refuses it, and it is asked
    // again with the next attempt to connect. May be null.
    std::function<Result<void>(const std::string& host)> admit;
    // Made when a connection is open, before the node is reported as up, and every few seconds from then
    // on.
    std::function<Result<NodeSurvey>(Connection&)> survey;
    std::function<void(NodeSurvey)> on_survey;
    // Held by each call that changes something; null: no other manager can act.
    std::shared_ptr<const EpochFence> fence;
  };
  static std::shared_ptr<NodeWorker> start(NodeId id, NodeSettings settings,
                                           const HypervisorSettings& common,
                                           std::shared_ptr<Watchdog> watchdog, Listener listener);

  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] const NodeSettings& settings() const { return settings_; }
  // Are these settings, as far as they concern the connection and the caps of VMs, its own?
  [[nodiscard]] bool is_reached_by(const NodeSettings& other) const {
    return settings_.name == other.name && settings_.uri == other.uri &&
           settings_.migrate_uri == other.migrate_uri && settings_.speed_ppm == other.speed_ppm;
  }
  // For calls outside of the queues: a connection that nothing else uses. An error while the node is not
  // connected. May block as long as opening a connection does.
  [[nodiscard]] Result<std::shared_ptr<Connection>> take_connection(const std::string& what) const;
  // The cluster whose VMs keep this one from using the node; empty: none.
  [[nodiscard]] std::string other_cluster() const;

  // Runs `work` on the queue and calls `answer` exactly once, with its result or with the error that
  // prevented it.
  template <class T>
  void call(QueueName queue, CallKey key, std::function<Result<T>(Connection&)> work,
            std::function<void(Result<T>)> answer);
  // Completes the calls that no thread has started with this error; returns their number.
  std::size_t withdraw(const std::function<bool(const QueuedCall&)>& which, const Error& why);
  void stop();

 private:
  NodeWorker(NodeId id, NodeSettings settings, const HypervisorSettings& common,
             std::shared_ptr<Watchdog> watchdog, Listener listener);
  [[nodiscard]] CallQueue& queue(QueueName name) { return *queues_[static_cast<std::size_t>(name)]; }
  void spawn_connection_thread();
  void maintain_connection(std::uint32_t generation);
  bool hold_connection(std::uint32_t generation, std::string& why);
  struct Watched {
    std::shared_ptr<Connection> connection;
    std::unique_ptr<ConnectionWatch> watch;
  };
  Result<Watched> open_in_time(std::uint32_t generation);
  Result<Watched> open_watched();
  void note_refusal(const std::string& why);
  void reopen(std::uint32_t generation);
  void survey();
  void take(NodeSurvey survey);
  void report_connected();
  void ask_for_sign_of_life(const std::string& missed);
  void lost(const std::string& why);
  void report(NodeState state, const std::string& why);
  // Measures one call, from its start to its completion.
  class Stopwatch {
   public:
    Stopwatch(std::shared_ptr<NodeWorker> worker, std::string_view kind)
        : worker_(std::move(worker)), kind_(kind) {}
    void begin() { began_ = Clock::now(); }
    void complete(std::optional<ErrorKind> error) const;

   private:
    using Clock = std::chrono::steady_clock;
    std::shared_ptr<NodeWorker> worker_;
    std::string_view kind_;
    std::atomic<Clock::time_point> began_{
        Clock::time_point{}};  // the default: the call has not started, and is not reported
  };
  [[nodiscard]] bool stale(std::uint32_t generation) const;
  [[nodiscard]] Result<Descriptor> hold_fence() const {
    return listener_.fence ? listener_.fence->hold() : Descriptor();
  }
  // Null while the node is not connected.
  [[nodiscard]] std::shared_ptr<Connection> connection() const;
  [[nodiscard]] Error unconnected(const std::string& what) const;

  const NodeId id_;
  const NodeSettings settings_;
  const Duration fast_deadline_;
  const Duration long_deadline_;
  const std::shared_ptr<Watchdog> watchdog_;
  const Listener listener_;
  const std::shared_ptr<ConnectionPool> pool_;
  std::array<std::shared_ptr<CallQueue>, 6> queues_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Connection> connection_;
  std::optional<std::string> lost_why_;
  std::optional<NodeState> reported_;
  std::string refusal_;  // of its host; empty: none
  std::string other_cluster_;
  bool surveying_ = false;  // the answer is still to come
  std::uint32_t generation_ =
      0;  // of the connection thread; an older thread that returns from a stuck call ends
  bool stopping_ = false;
};

template <class T>
void NodeWorker::call(QueueName name, CallKey key, std::function<Result<T>(Connection&)> work,
                      std::function<void(Result<T>)> answer) {
  auto completed = std::make_shared<std::atomic<bool>>(false);
  auto watch = std::make_shared<Stopwatch>(shared_from_this(), key.kind);
  QueuedCall out;
  out.op = key.op;
  out.vm = key.vm;
  out.what = key.what;
  const bool is_long = name == QueueName::slow || name == QueueName::end || name == QueueName::checkpoint;
  out.deadline = is_long ? long_deadline_ : fast_deadline_;
  const bool changes = name != QueueName::watch && name != QueueName::ping;
  out.run = [self = shared_from_this(), completed, watch, work = std::move(work), answer, changes,
             what = std::move(key.what)] {
    if (self->connection()) watch->begin();
    const auto connection = self->take_connection(what);
    const auto held = changes ? self->hold_fence() : Descriptor();
    Result<T> result = !connection ? tl::unexpected(connection.error())
                       : !held     ? tl::unexpected(held.error())
                                   : work(**connection);
    if (completed->exchange(true)) return;
    watch->complete(result ? std::nullopt : std::optional(result.error().kind));
    answer(std::move(result));
  };
  out.give_up = [completed, watch, answer = std::move(answer)](const Error& why) {
    if (completed->exchange(true)) return false;
    watch->complete(why.kind);
    answer(tl::unexpected(why));
    return true;
  };
  queue(name).push(std::move(out));
}

}  // namespace aliquot
