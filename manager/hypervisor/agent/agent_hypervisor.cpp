#include "manager/hypervisor/agent/agent_hypervisor.hpp"

#include <future>
#include <thread>
#include <utility>

#include "manager/hypervisor/agent/agent_nodes.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/task_files.hpp"
#include "manager/inbox.hpp"

namespace aliquot {
namespace {

using agent::AgentNodes;
using agent::Answer;
using agent::Subject;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kGlance{250};
constexpr Duration kTerminalPatience = seconds(30);

}  // namespace

// The thread, and how others reach it.
class AgentHypervisor::Loop {
 public:
  Loop(AgentHypervisorSetup setup, Sink sink)
      : setup_(std::move(setup)), events_(std::move(sink)), nodes_(setup_, events_, context_, inbox_) {
    thread_ = std::thread([this] { run(); });
  }
  ~Loop() {
    events_.close();
    post([this] { stop_ = true; });
    thread_.join();
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void post(std::function<void()> work) { inbox_.post(Continuation{std::move(work)}); }
  [[nodiscard]] AgentNodes& nodes() { return nodes_; }
  [[nodiscard]] ClosableSink& events() { return events_; }
  [[nodiscard]] const AgentHypervisorSetup& setup() const { return setup_; }

  // Blocks. `patience` is for the agent; the answer of a loop that lives comes in any case.
  Result<Answer> ask(NodeId node, Subject subject, std::string vm, Duration patience) {
    return wait(patience, [node, subject, vm = std::move(vm)](AgentNodes& nodes, agent::Answered answered) {
      nodes.ask(node, subject, vm, std::move(answered));
    });
  }
  // `begin` runs on the loop.
  Result<Answer> wait(Duration patience, std::function<void(AgentNodes&, agent::Answered)> begin) {
    const auto promise = std::make_shared<std::promise<Result<Answer>>>();
    auto future = promise->get_future();
    post([this, begin = std::move(begin), promise] {
      begin(nodes_, [promise](Result<Answer> answer) { promise->set_value(std::move(answer)); });
    });
    if (future.wait_for(std::chrono::microseconds(patience.raw)) == std::future_status::ready)
      return future.get();
    return fail(ErrorKind::timeout, "no answer of the node's agent in time");
  }

 private:
  void run() {
    while (!stop_) {
      const auto connections = nodes_.connections();
      std::vector<zmq::pollitem_t> items{{nullptr, inbox_.fd(), ZMQ_POLLIN, 0}};
      for (auto* each : connections) items.push_back({each->socket(), 0, ZMQ_POLLIN, 0});
      zmq::poll(items, kGlance);
      for (auto* each : connections) each->read(Clock::now());
      // May change the connections.
      for (const auto& message : inbox_.drain())
        if (const auto* work = std::get_if<Continuation>(&message); work != nullptr && work->run)
          work->run();
      nodes_.greet();
      if (Clock::now() >= next_second_) {
        next_second_ = Clock::now() + std::chrono::seconds(1);
        nodes_.every_second();
      }
      for (auto* each : nodes_.connections()) each->transmit();
    }
  }

  const AgentHypervisorSetup setup_;
  zmq::context_t context_;
  ClosableSink events_;
  Inbox inbox_;
  AgentNodes nodes_;
  bool stop_ = false;
  Clock::time_point next_second_;
  std::thread thread_;
};

AgentHypervisor::AgentHypervisor(AgentHypervisorSetup setup, Sink sink)
    : loop_(std::make_unique<Loop>(std::move(setup), std::move(sink))) {}
AgentHypervisor::~AgentHypervisor() = default;

void AgentHypervisor::perform(const Action& action, std::shared_ptr<const JobSpec> spec) {
  loop_->post([this, action, spec = std::move(spec)] { loop_->nodes().perform(action, spec); });
}

void AgentHypervisor::inspect(std::vector<VmQuery> queries) {
  loop_->post([this, queries = std::move(queries)] { loop_->nodes().inspect(queries); });
}

void AgentHypervisor::sample(NodeId node, SampleSink done) {
  loop_->post([this, node, done = std::move(done)] {
    loop_->nodes().ask(node, Subject::samples, {}, [node, done](Result<Answer> answer) {
      done(node, answer ? std::move(answer->samples) : std::vector<VmSample>{});
    });
  });
}

void AgentHypervisor::on_departure(SampleSink sink) {
  loop_->post([this, sink = std::move(sink)] { loop_->nodes().set_departures(sink); });
}

void AgentHypervisor::set_balloon(const VmBalloon& balloon) {
  loop_->post([this, balloon] { loop_->nodes().set_balloon(balloon); });
}

// The spool is shared: an agent that is not reached now need not be waited for.
void AgentHypervisor::forget(JobId job) {
  const Spool spool(loop_->setup().spool_dir);
  (void)remove_file(spool.initrd(job));
  (void)remove_file(spool.description(job));
  remove_leftovers(spool, job);
  loop_->post([this, job] { loop_->nodes().forget(job); });
}

void AgentHypervisor::set_max_output(Memory limit) {
  loop_->post([this, limit] { loop_->nodes().set_max_output(limit); });
}
void AgentHypervisor::set_node(NodeId id, const NodeSettings& node, const std::string& host) {
  loop_->post([this, id, node, host] { loop_->nodes().set_node(id, node, host); });
}
void AgentHypervisor::remove_node(NodeId id) {
  loop_->post([this, id] { loop_->nodes().remove_node(id); });
}
void AgentHypervisor::write_off(NodeId node) {
  loop_->post([this, node] { loop_->nodes().write_off(node, true); });
}
void AgentHypervisor::take_back(NodeId node) {
  loop_->post([this, node] { loop_->nodes().write_off(node, false); });
}
bool AgentHypervisor::held_by_other_cluster(NodeId node) const {
  return loop_->nodes().reports().is_held_by_other(node);
}
std::uint64_t AgentHypervisor::messages_refused(NodeId node) const {
  return loop_->nodes().reports().messages_refused(node);
}
std::uint64_t AgentHypervisor::epochs_refused(NodeId node) const {
  return loop_->nodes().reports().epochs_refused(node);
}

Result<NodeFacts> AgentHypervisor::node_facts(NodeId node, Duration patience, bool probe) {
  auto answer = loop_->ask(node, probe ? Subject::facts_tried : Subject::facts, {}, patience);
  if (!answer) return tl::unexpected(answer.error());
  return answer->facts.value_or(NodeFacts{});
}
Result<NodeSurvey> AgentHypervisor::survey(NodeId node, Duration patience) {
  auto answer = loop_->ask(node, Subject::survey, {}, patience);
  if (!answer) return tl::unexpected(answer.error());
  return answer->survey.value_or(NodeSurvey{});
}
Result<void> AgentHypervisor::destroy_orphan(NodeId node, const Uuid& uuid, Duration patience) {
  auto answer = loop_->ask(node, Subject::destroy_orphan, to_string(uuid), patience);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}
Result<std::uint32_t> AgentHypervisor::clear(NodeId node, Duration patience) {
  auto answer = loop_->ask(node, Subject::clear, {}, patience);
  if (!answer) return tl::unexpected(answer.error());
  return answer->count;
}

Result<std::unique_ptr<VmTerminal>> AgentHypervisor::open_terminal(const TerminalTarget& target,
                                                                   TerminalListener listener) {
  const auto line = std::make_shared<agent::TerminalLine>(std::move(listener));
  auto terminal = std::make_unique<agent::RemoteTerminal>(line, [this, line](agent::ToTerminal message) {
    loop_->post(
        [this, line, message = std::move(message)] { loop_->nodes().tell_terminal(*line, message); });
  });
  const auto answer = loop_->wait(kTerminalPatience, [target, line](AgentNodes& nodes, auto answered) {
    nodes.open_terminal(target, line, std::move(answered));
  });
  if (!answer) return tl::unexpected(answer.error());  // what is open of it closes with `terminal`
  return terminal;
}

}  // namespace aliquot
