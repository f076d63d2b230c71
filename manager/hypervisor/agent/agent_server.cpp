#include "manager/hypervisor/agent/agent_server.hpp"

#include <poll.h>

#include <optional>
#include <utility>
#include <zmq.hpp>

#include "manager/hypervisor/agent/agent_session.hpp"
#include "manager/hypervisor/agent/curve_sockets.hpp"
#include "manager/hypervisor/agent/epochs_heard.hpp"
#include "manager/inbox.hpp"

namespace aliquot::agent {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSecond = std::chrono::seconds(1);
// A manager of another cluster may take over an agent that has not been spoken to for so long.
constexpr auto kAbandoned = std::chrono::seconds(60);
constexpr int kMostAtOnce = 100;  // messages between two looks at the rest
constexpr auto kBetweenComplaints = std::chrono::seconds(10);

}  // namespace

class AgentServer::Loop {
 public:
  Loop(AgentSetup setup, OpenBackend open_backend, EpochsHeard epochs)
      : setup_(std::move(setup)),
        epochs_(std::move(epochs)),
        open_backend_(std::move(open_backend)),
        keys_(context_, setup_.managers),
        socket_(server_socket(context_, setup_.keys)) {}
  ~Loop() {
    session_.reset();
    socket_.close();
    context_.shutdown();
  }

  Result<void> listen() try {
    socket_.bind(setup_.endpoint);
    endpoint_ = socket_.get(zmq::sockopt::last_endpoint);
    return {};
  } catch (const zmq::error_t& why) {
    return fail(ErrorKind::unavailable, "cannot listen at " + setup_.endpoint + ": " + why.what());
  }

  void run(int stop) {
    zmq::pollitem_t items[] = {
        {socket_, 0, ZMQ_POLLIN, 0}, {nullptr, inbox_.fd(), ZMQ_POLLIN, 0}, {nullptr, stop, ZMQ_POLLIN, 0}};
    while ((items[2].revents & ZMQ_POLLIN) == 0) {
      zmq::poll(items, std::size(items), kSecond);
      for (int i = 0; i < kMostAtOnce; ++i) {
        const auto received = receive(socket_, true);
        if (!received) break;
        take(*received);
      }
      for (const auto& message : inbox_.drain())
        if (const auto* work = std::get_if<Continuation>(&message); work != nullptr && work->run)
          work->run();
      if (Clock::now() >= next_second_) every_second();
      if (session_) transmit_all(session_->take_outgoing());
    }
    end_session();
  }

  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  [[nodiscard]] AgentCounters counters() const {
    AgentCounters counters = counters_;
    counters.keys_refused = keys_.refused();
    return counters;
  }

 private:
  void take(const Received& received) {
    auto head = decode_head(received.frames.head);
    if (head && std::holds_alternative<Hello>(*head))
      return greet(std::get<Hello>(*head), received.address);
    if (!head) return refuse(received, head.error().message);
    if (!std::holds_alternative<Numbered>(*head)) return refuse(received, "it is none of a manager's");
    const Numbered& packet = std::get<Numbered>(*head);
    if (!session_ || session_->hello().session != packet.session) {
      if (!received.frames.message.empty()) refuse_command(packet.session, received.frames.message);
      return transmit(socket_, received.address, {encode(Head{Unknown{packet.session}}), {}});
    }
    peer_ = received.address;
    heard_ = Clock::now();
    if (auto taken = session_->take({packet.number, packet.acknowledged, received.frames.message}); !taken)
      refuse(received, taken.error().message);
  }

  // Whoever sends this has an admitted key, and is not obeyed all the same.
  void refuse(const Received& received, const std::string& why) {
    ++counters_.messages_refused;
    if (Clock::now() < next_complaint_) return;
    next_complaint_ = Clock::now() + kBetweenComplaints;
    setup_.say("refused a message of " + std::to_string(received.frames.head.size()) + " and " +
               std::to_string(received.frames.message.size()) + " bytes: " + why + "; " +
               std::to_string(counters_.messages_refused) + " so far");
  }

  void refuse_command(const std::string& session, const std::string& message) {
    ++counters_.commands_refused;
    if (session == replaced_) {
      ++counters_.epochs_refused;
      if (const auto said = decode_to_agent(message))
        if (const auto* commands = std::get_if<Perform>(&*said)) counters_.late.add(commands->actions);
    }
    if (Clock::now() < next_complaint_) return;
    next_complaint_ = Clock::now() + kBetweenComplaints;
    setup_.say("refused a command of session " + session + ", which is not open here; " +
               std::to_string(counters_.commands_refused) +
               " so far; to VMs, after a later epoch began: " + counters_.late.words());
  }

  void greet(const Hello& hello, const std::string& from) {
    const bool is_open = session_ && session_->hello().session == hello.session;
    if (!is_open)
      if (auto opened = open_session(hello); !opened) {
        ++counters_.sessions_refused;
        if (opened.error().kind == ErrorKind::not_leader) ++counters_.epochs_refused;
        setup_.say("refused a session of cluster " + hello.cluster + ": " + opened.error().message);
        return transmit(socket_, from, {encode(Head{Refused{hello.session, opened.error()}}), {}});
      }
    peer_ = from;
    heard_ = Clock::now();
    const Welcome welcome{hello.session, setup_.host, setup_.backend, setup_.version, setup_.saves};
    transmit(socket_, from, {encode(Head{welcome}), {}});
  }

  Result<void> open_session(const Hello& hello) {
    if (hello.version > kWireVersion || hello.version < kOldestServed)
      return fail(ErrorKind::unsupported, "the agent speaks version " + std::to_string(kWireVersion) +
                                              " and the manager " + std::to_string(hello.version) +
                                              ": install the release of the newer one on both, on nodes "
                                              "first");
    if (session_ && session_->hello().cluster != hello.cluster && Clock::now() - heard_ < kAbandoned)
      return fail(ErrorKind::conflict, "the agent serves another cluster: " + session_->hello().cluster);
    // On disk before the manager is obeyed: from here on no earlier one is.
    if (auto heard = epochs_.hear(hello.cluster, hello.epoch); !heard) return heard;
    const bool is_later =
        session_ && session_->hello().cluster == hello.cluster && session_->hello().epoch < hello.epoch;
    if (is_later) replaced_ = session_->hello().session;
    end_session();  // before the next begins: both would act on the same VMs
    auto opened = AgentSession::open(hello, inbox_, open_backend_);
    if (!opened) return tl::unexpected(opened.error());
    session_ = std::move(*opened);
    ++counters_.sessions;
    setup_.say("session of cluster " + hello.cluster + ", epoch " + std::to_string(hello.epoch) +
               ", as node " + hello.name);
    return {};
  }

  // Its backend finishes what has begun, so that nothing of its epoch happens after this.
  void end_session() {
    if (!session_) return;
    const Hello hello = session_->hello();
    const std::string commands = session_->commands().words();
    session_.reset();
    setup_.say("ended the session of cluster " + hello.cluster + ", epoch " + std::to_string(hello.epoch) +
               ", after these commands: " + commands +
               "; refused in epochs that are over: " + counters_.late.words());
  }

  void every_second() {
    next_second_ = Clock::now() + kSecond;
    setup_.alive();
    if (const std::uint64_t refused = keys_.refused(); refused != counters_.keys_refused) {
      counters_.keys_refused = refused;
      setup_.say("refused a key that is not admitted; " + std::to_string(refused) + " so far");
    }
    if (!session_) return;
    session_->every_second(counters_.epochs_refused);
    transmit_all({session_->sign_of_life()});
  }

  void transmit_all(const std::vector<Packet>& packets) {
    for (const Packet& packet : packets)
      transmit(socket_, peer_,
               {encode(Head{Numbered{session_->hello().session, packet.number, packet.acknowledged}}),
                packet.message});
  }

  const AgentSetup setup_;
  EpochsHeard epochs_;
  const OpenBackend open_backend_;
  zmq::context_t context_;
  KeyCheck keys_;
  zmq::socket_t socket_;
  std::string endpoint_;
  Inbox inbox_;
  std::shared_ptr<AgentSession> session_;
  std::string replaced_;  // the last session whose place one of a later epoch took
  std::string peer_;      // where the session's manager was last heard
  Clock::time_point heard_;
  Clock::time_point next_second_;
  Clock::time_point next_complaint_;
  AgentCounters counters_;
};

AgentServer::AgentServer(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
AgentServer::~AgentServer() = default;

Result<std::unique_ptr<AgentServer>> AgentServer::open(AgentSetup setup, OpenBackend open_backend) {
  auto epochs = EpochsHeard::open(setup.epochs);
  if (!epochs) return tl::unexpected(epochs.error());
  auto loop = std::make_unique<Loop>(std::move(setup), std::move(open_backend), std::move(*epochs));
  if (auto listening = loop->listen(); !listening) return tl::unexpected(listening.error());
  return std::unique_ptr<AgentServer>(new AgentServer(std::move(loop)));
}

const std::string& AgentServer::endpoint() const { return loop_->endpoint(); }
void AgentServer::run(int stop) { loop_->run(stop); }
AgentCounters AgentServer::counters() const { return loop_->counters(); }

}  // namespace aliquot::agent
