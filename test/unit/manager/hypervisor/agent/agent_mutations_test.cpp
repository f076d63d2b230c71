// The worst that a peer with an admitted key can do, a manager or an agent gone mad: lawful messages with
// some bytes, numbers or words changed. The other side counts them, says why, and serves on.
#include <gtest/gtest.h>
#include <poll.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "manager/hypervisor/agent/agent_hypervisor.hpp"
#include "manager/hypervisor/agent/curve_sockets.hpp"
#include "manager/hypervisor/agent/sequenced_link.hpp"
#include "test/support/small_view.hpp"
#include "test/unit/manager/hypervisor/agent/fake_node.hpp"
#include "tools/fuzz/mutator.hpp"

namespace aliquot::agent {
namespace {

using test::comes_true;
using test::FakeMachine;
using test::RunningAgent;

constexpr NodeId kNode{2};

// For each side and half of a message.
int most_messages() {
  const char* const said = std::getenv("ALIQUOT_TEST_MUTATIONS");
  return said != nullptr ? std::atoi(said) : 10'000;
}

// What docs/agent-wire.md shows of one side, heads or messages.
std::vector<std::string> lawful(const std::string& side, bool heads) {
  std::ifstream in(ALIQUOT_SOURCE_DIR "/docs/agent-wire.md");
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(in, line))
    if (line.starts_with(side + ": {") && (line.find("\"head\":") != std::string::npos) == heads)
      lines.push_back(line.substr(side.size() + 2));
  return lines;
}

class Mutations {
 public:
  explicit Mutations(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}
  std::string next() { return mutator_.mutate(any(), any()); }

 private:
  const std::string& any() { return seeds_[mutator_.below(seeds_.size())]; }
  const std::vector<std::string> seeds_;
  fuzz::Mutator mutator_{1};
};

bool wait_for(zmq::socket_t& socket) {
  zmq::pollitem_t item{socket, 0, ZMQ_POLLIN, 0};
  return zmq::poll(&item, 1, std::chrono::seconds(20)) > 0;
}

// --- a manager gone mad

class ClientEnd {
 public:
  ClientEnd(zmq::context_t& context, const KeyPair& keys, const RunningAgent& agent, const Key& key)
      : socket_(client_socket(context, keys, key)) {
    socket_.set(zmq::sockopt::sndtimeo, 20'000);
    socket_.connect(agent.endpoint());
    Hello hello;
    hello.session = "s";
    hello.cluster = "c";
    hello.node = kNode;
    send({encode(Head{hello}), {}});
    EXPECT_TRUE(wait_for(socket_));
  }
  void send(const Frames& frames) {
    const bool two = !frames.message.empty();
    ASSERT_TRUE(
        socket_.send(zmq::buffer(frames.head), two ? zmq::send_flags::sndmore : zmq::send_flags::none));
    if (two) {
      ASSERT_TRUE(socket_.send(zmq::buffer(frames.message)));
    }
    read();
  }
  // In its place in the session: the agent takes it and looks at it.
  void say(std::string message) {
    link_.send(std::move(message));
    for (const Packet& packet : link_.take_outgoing())
      send({encode(Head{Numbered{"s", packet.number, packet.acknowledged}}), packet.message});
  }
  [[nodiscard]] bool all_arrived() {
    while (link_.unacknowledged_bytes() > 0) {
      if (!wait_for(socket_)) return false;
      read();
      say("");  // what the window kept back
    }
    return true;
  }

 private:
  void read() {
    while (const auto received = receive(socket_, false)) {
      const auto head = decode_head(received->frames.head);
      if (const auto* packet = head ? std::get_if<Numbered>(&*head) : nullptr)
        (void)link_.receive({packet->number, packet->acknowledged, received->frames.message});
    }
  }
  zmq::socket_t socket_;
  SequencedLink link_;
};

class MutatedMessages : public testing::Test {
 protected:
  std::unique_ptr<AgentHypervisor> manager(Hypervisor::Sink sink) const {
    AgentHypervisorSetup setup;
    setup.keys = manager_;
    setup.hypervisor.fast_deadline = seconds(1);
    setup.spool_dir = "/nonexistent";
    setup.cluster = "c";
    setup.epoch = std::numeric_limits<std::uint64_t>::max();
    return std::make_unique<AgentHypervisor>(std::move(setup), std::move(sink));
  }
  void connect(AgentHypervisor& backend, const std::string& endpoint) const {
    NodeSettings node;
    node.name = "n";
    node.uri = "agent://" + endpoint.substr(std::string("tcp://").size());
    node.agent_key = to_text(keys_.public_key);
    backend.set_node(kNode, node, "");
  }

  const KeyPair keys_ = make_keys().value();
  const KeyPair manager_ = make_keys().value();
};

TEST_F(MutatedMessages, of_a_manager_do_its_agent_no_harm) {
  FakeMachine machine;
  RunningAgent running(machine, keys_, {manager_.public_key});
  zmq::context_t context;
  {
    ClientEnd mad(context, manager_, running, keys_.public_key);
    Mutations messages(lawful("manager", false)), heads(lawful("manager", true));
    for (int i = 0; i < most_messages(); ++i) mad.say(messages.next());
    EXPECT_TRUE(mad.all_arrived());
    for (int i = 0; i < most_messages(); ++i) mad.send({heads.next(), messages.next()});
  }
  std::atomic<bool> is_up{false};
  const auto backend = manager([&](const Event& event) {
    const auto* changed = std::get_if<NodeChanged>(&event);
    if (changed != nullptr) is_up = changed->state == NodeState::up;
  });
  connect(*backend, running.endpoint());
  EXPECT_TRUE(comes_true([&] { return is_up.load(); })) << "it still serves";
  const AgentCounters counters = running.stop();
  EXPECT_GT(counters.messages_refused, static_cast<std::uint64_t>(most_messages()));
}

// --- an agent gone mad

class ServerEnd {
 public:
  ServerEnd(zmq::context_t& context, const KeyPair& keys) : socket_(server_socket(context, keys)) {
    socket_.bind("tcp://127.0.0.1:*");
  }
  [[nodiscard]] std::string endpoint() { return socket_.get(zmq::sockopt::last_endpoint); }
  // Says it in its place in the session, after this head if there is one, and waits until the manager has
  // taken it or begun another session.
  [[nodiscard]] bool say(const std::string& message, const std::string& head_before = "") {
    const std::uint64_t number = link_.send(message);
    const std::string session = session_;
    if (!head_before.empty()) transmit(socket_, manager_, {head_before, message});
    transmit_all();
    while (session == session_ && acknowledged_ < number)
      if (!wait_for(socket_) || !read()) return false;
    return true;
  }
  // Until a session is open.
  [[nodiscard]] bool serve() {
    while (session_.empty())
      if (!wait_for(socket_) || !read()) return false;
    return true;
  }

 private:
  bool read() {
    while (const auto received = receive(socket_, true)) {
      const auto head = decode_head(received->frames.head);
      if (!head) return false;
      if (const auto* hello = std::get_if<Hello>(&*head)) open(*hello, received->address);
      const auto* packet = std::get_if<Numbered>(&*head);
      if (packet == nullptr || packet->session != session_) continue;
      acknowledged_ = packet->acknowledged;
      (void)link_.receive({packet->number, packet->acknowledged, received->frames.message});
      transmit_all();
    }
    return true;
  }
  void open(const Hello& hello, const std::string& from) {
    manager_ = from;
    if (hello.session != session_) link_ = {}, acknowledged_ = 0;
    session_ = hello.session;
    transmit(socket_, manager_, {encode(Head{Welcome{session_, "", "mad", "test"}}), {}});
  }
  void transmit_all() {
    for (const Packet& packet : link_.take_outgoing())
      transmit(socket_, manager_,
               {encode(Head{Numbered{session_, packet.number, packet.acknowledged}}), packet.message});
  }
  zmq::socket_t socket_;
  SequencedLink link_;
  std::string session_, manager_;
  std::uint64_t acknowledged_ = 0;
};

TEST_F(MutatedMessages, of_an_agent_do_the_manager_no_harm) {
  zmq::context_t context;
  const KeyCheck check(context, {manager_.public_key});
  {
    ServerEnd mad(context, keys_);
    std::atomic<std::uint64_t> outcomes{0};
    const auto backend = manager([&](const Event& event) { outcomes += event.index() == 4 ? 1 : 0; });
    connect(*backend, mad.endpoint());
    ASSERT_TRUE(mad.serve());
    const auto spec = std::make_shared<JobSpec>();
    spec->job = {3};
    spec->submission = aliquot::test::submission(1, 1000, 100);
    spec->tasks.resize(1);
    spec->tasks[0].node = kNode;
    Mutations messages(lawful("agent", false)), heads(lawful("agent", true));
    for (int i = 0; i < 2 * most_messages(); ++i) {
      // What the mutated answers may be about.
      if (i % 64 == 0) backend->perform(Create{{OpId{41}, JobId{3}, {0, 1}}, kNode, kFullYield}, spec);
      if (i % 64 == 32) backend->inspect({{JobId{3}, 0, 1, {kNode}}});
      ASSERT_TRUE(mad.say(messages.next(), i % 2 == 0 ? "" : heads.next())) << "after " << i;
    }
    EXPECT_GT(backend->messages_refused(kNode), static_cast<std::uint64_t>(most_messages() / 2));
    EXPECT_TRUE(mad.say(encode(FromAgent{HeldByOther{true}}))) << "it still listens";
    EXPECT_TRUE(comes_true([&] { return backend->held_by_other_cluster(kNode); }));
  }
  context.shutdown();
}

}  // namespace
}  // namespace aliquot::agent
