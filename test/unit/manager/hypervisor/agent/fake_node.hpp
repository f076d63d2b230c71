// A node of a test: a backend that notes what it is asked and says what the test wants, and an agent around
// it on a thread of its own.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "manager/hypervisor/agent/agent_server.hpp"

namespace aliquot::agent::test {

inline bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

// Outlives the backends that agents open on it, as a machine outlives its agents.
class FakeMachine {
 public:
  // Called for each action of each task; none: it succeeds. Nothing is answered while `is_mute`.
  std::function<std::optional<Error>(const Action&)> fate = [](const Action&) { return std::nullopt; };
  VmFact fact = VmFact::running;
  std::atomic<bool> is_mute{false};
  std::atomic<bool> reads_nothing{false};  // of what is typed

  [[nodiscard]] std::vector<std::string> log() const {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  [[nodiscard]] std::size_t count(const std::string& line) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count(log_.begin(), log_.end(), line));
  }
  void note(std::string line) {
    const std::lock_guard lock(mutex_);
    log_.push_back(std::move(line));
  }
  [[nodiscard]] OpenBackend backend();
  void set_listener(TerminalListener listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
  }
  // Of the terminal that is open.
  [[nodiscard]] TerminalListener listener() const {
    const std::lock_guard lock(mutex_);
    return listener_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> log_;
  TerminalListener listener_;
};

// The terminal of the fake machine.
class FakeTerminal final : public VmTerminal {
 public:
  FakeTerminal(FakeMachine& machine, TerminalListener listener) : machine_(machine) {
    machine_.set_listener(std::move(listener));
  }
  ~FakeTerminal() override {
    machine_.set_listener({});
    machine_.note("terminal closed");
  }
  void read_on() override { machine_.note("terminal reads"); }
  bool write(std::string_view bytes) override {
    if (machine_.reads_nothing) return false;
    machine_.note("typed " + std::string(bytes));
    return true;
  }

 private:
  FakeMachine& machine_;
};

class FakeBackend final : public NodeHypervisor {
 public:
  FakeBackend(FakeMachine& machine, NodeId node, BackendSinks sinks)
      : machine_(machine), node_(node), sinks_(std::move(sinks)) {
    sinks_.events(NodeChanged{node_, NodeState::up, "connected"});
  }
  void perform(const Action& action, std::shared_ptr<const JobSpec>) override {
    const ActionHead& what = head(action);
    machine_.note(std::string(word(action)) + " " + std::to_string(what.job.raw) + " op " +
                  std::to_string(what.op.raw));
    if (machine_.is_mute) return;
    sinks_.events(Outcome{what.op, what.job, what.tasks, machine_.fate(action), Duration{5}, {}});
  }
  void inspect(std::vector<VmQuery> queries) override {
    for (const VmQuery& query : queries)
      if (!machine_.is_mute)
        sinks_.events(Inspected{query.job, query.task, query.incarnation, machine_.fact, node_, {}});
  }
  void prepare_move(const VmMove& move, std::shared_ptr<const JobSpec> spec) override {
    machine_.note("move of " + std::to_string(spec->job.raw) + "." + std::to_string(move.task) + " from " +
                  std::to_string(move.from.raw) + " to " + std::to_string(move.to.raw) + " " + move.to_uri +
                  " at " + std::to_string(move.bandwidth.raw));
  }
  void sample(NodeId node, SampleSink done) override {
    VmSample sample{JobId{1}, 2, 3, 4, node, 1, Duration{6}, std::nullopt, Duration{7}};
    sample.memory = GuestMemory{mebibytes(96), mebibytes(40), 5};
    VmSample stray = sample;
    stray.node = {node.raw + 1};
    done(node, {sample, stray});
  }
  void set_balloon(const VmBalloon& balloon) override {
    machine_.note("balloon " + std::to_string(balloon.job.raw) + "." + std::to_string(balloon.task) + "-" +
                  std::to_string(balloon.incarnation) + " on " + std::to_string(balloon.node.raw) + ": " +
                  std::to_string(balloon.memory.raw >> 20));
  }
  void forget(JobId job) override { machine_.note("forget " + std::to_string(job.raw)); }
  void set_max_output(Memory limit) override { machine_.note("max output " + std::to_string(limit.raw)); }
  void set_node(NodeId, const NodeSettings&, const std::string&) override {}
  void remove_node(NodeId) override {}
  Result<NodeFacts> node_facts(NodeId, Duration, bool probe) override {
    NodeFacts facts;
    facts.cores = 4;
    facts.memory = mebibytes(1000);
    facts.hypervisor = probe ? "tried" : "not tried";
    return facts;
  }
  Result<NodeSurvey> survey(NodeId, Duration) override {
    NodeSurvey survey;
    survey.ours.push_back(
        {{"c", JobId{1}, 2, 3, 4}, Uuid{}, VmFact::running, "a VM", mebibytes(1), cores(1)});
    return survey;
  }
  Result<void> destroy_orphan(NodeId, const Uuid& uuid, Duration) override {
    return fail(ErrorKind::not_found, "no " + to_string(uuid));
  }
  Result<std::uint32_t> clear(NodeId, Duration) override { return 3; }
  Result<std::unique_ptr<VmTerminal>> open_terminal(const TerminalTarget& target,
                                                    TerminalListener listener) override {
    if (target.job != JobId{1}) return fail(ErrorKind::not_found, "it has no such VM");
    machine_.note("terminal on " + std::to_string(target.job.raw) + "." + std::to_string(target.task) +
                  "-" + std::to_string(target.incarnation) + " on " + std::to_string(target.node.raw));
    return std::make_unique<FakeTerminal>(machine_, std::move(listener));
  }
  void write_off(NodeId) override {}
  void take_back(NodeId) override {}
  bool held_by_other_cluster(NodeId) const override { return false; }

 private:
  FakeMachine& machine_;
  const NodeId node_;
  const BackendSinks sinks_;
};

inline OpenBackend FakeMachine::backend() {
  return [this](const Hello& hello, BackendSinks sinks) -> Result<std::unique_ptr<NodeHypervisor>> {
    note("session of start " + std::to_string(hello.epoch));
    return std::make_unique<FakeBackend>(*this, hello.node, std::move(sinks));
  };
}

class RunningAgent {
 public:
  RunningAgent(FakeMachine& machine, const KeyPair& keys, std::vector<Key> managers,
               const std::string& endpoint = "tcp://127.0.0.1:*", bool saves = false,
               const std::string& epochs = "")
      : stop_(::eventfd(0, EFD_CLOEXEC)) {
    AgentSetup setup;
    setup.endpoint = endpoint;
    setup.keys = keys;
    setup.managers = std::move(managers);
    setup.backend = "fake";
    setup.version = "test";
    setup.saves = saves;
    setup.epochs = epochs;
    auto opened = AgentServer::open(std::move(setup), machine.backend());
    if (!opened) throw std::runtime_error(opened.error().message);
    server_ = std::move(*opened);
    thread_ = std::thread([this] { server_->run(stop_); });
  }
  ~RunningAgent() { stop(); }
  RunningAgent(const RunningAgent&) = delete;
  RunningAgent& operator=(const RunningAgent&) = delete;
  [[nodiscard]] std::string endpoint() const { return server_->endpoint(); }
  // What it counted; it has ended then.
  AgentCounters stop() {
    ::eventfd_write(stop_, 1);
    if (thread_.joinable()) thread_.join();
    const AgentCounters counters = server_ ? server_->counters() : AgentCounters{};
    return counters;
  }

 private:
  int stop_;
  std::unique_ptr<AgentServer> server_;
  std::thread thread_;
};

}  // namespace aliquot::agent::test
