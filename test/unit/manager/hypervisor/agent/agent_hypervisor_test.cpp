// A manager's backend and an agent, over a real connection: what the wire promises when agents, connections
// and managers come and go.
#include "manager/hypervisor/agent/agent_hypervisor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>

#include "manager/hypervisor/agent/agent_reports.hpp"
#include "manager/hypervisor/agent/agent_wire.hpp"
#include "manager/hypervisor/agent/curve_sockets.hpp"
#include "manager/hypervisor/spool.hpp"
#include "test/support/small_view.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/unit/manager/hypervisor/agent/agents_fixture.hpp"

namespace aliquot::agent {
namespace {

using test::Agents;
using test::comes_true;
using test::kNode;
using test::kOp;
using test::RunningAgent;
using test::spec_of;

// With the mark of job 4 that other local saves keep its VM.
class AgentsWithKeptVm : public Agents {
 protected:
  AgentsWithKeptVm() {
    spool_ = testing::TempDir() + "aliquot-agents-" + std::to_string(::getpid());
    std::filesystem::create_directories(Spool(spool_).directory({4}));
    std::ofstream(mark_ = Spool(spool_).kept_mark({4}, 0)) << "a-disk 0\n";
  }
  ~AgentsWithKeptVm() override { std::filesystem::remove_all(spool_); }
  [[nodiscard]] VmFact inspected(AgentHypervisor& backend, const VmQuery& query) {
    const std::size_t before = events_.all<Inspected>().size();
    backend.inspect({query});
    EXPECT_TRUE(comes_true([&] { return events_.all<Inspected>().size() > before; }));
    return events_.all<Inspected>().back().fact;
  }
  std::string mark_;
};

TEST_F(Agents, do_what_they_are_told_and_report_it) {
  const auto running = agent();
  const auto backend = manager();
  connect(*backend, running->endpoint(), keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  backend->perform(Create{{kOp, JobId{4}, {0, 1}}, kNode, kFullYield}, spec_of({4}));
  ASSERT_TRUE(comes_true([&] { return !events_.all<Outcome>().empty(); }));
  const Outcome outcome = events_.all<Outcome>().front();
  EXPECT_EQ(outcome.op, kOp);
  EXPECT_FALSE(outcome.error);
  EXPECT_EQ(outcome.took, Duration{5}) << "as the node measured it";
}

TEST_F(Agents, answer_what_is_asked_about_their_nodes) {
  const auto running = agent();
  const auto backend = manager();
  connect(*backend, running->endpoint(), keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  EXPECT_EQ(backend->node_facts(kNode, seconds(20), true)->hypervisor, "tried");
  EXPECT_EQ(backend->node_facts(kNode, seconds(20), false)->memory, mebibytes(1000));
  EXPECT_EQ(backend->survey(kNode, seconds(20))->ours.at(0).identity.task, 2U);
  EXPECT_EQ(backend->clear(kNode, seconds(20)).value(), 3U);
  EXPECT_EQ(backend->destroy_orphan(kNode, Uuid{1}, seconds(20)).error().kind, ErrorKind::not_found);
  std::promise<std::vector<VmSample>> samples;
  backend->sample(kNode, [&](NodeId, std::vector<VmSample> all) { samples.set_value(std::move(all)); });
  const auto sampled = samples.get_future().get();
  ASSERT_EQ(sampled.size(), 1U) << "none of another node";
  EXPECT_EQ(sampled[0].throttled, Duration{7});
  EXPECT_EQ(sampled[0].memory, (GuestMemory{mebibytes(96), mebibytes(40), 5}));
  EXPECT_FALSE(sampled[0].waited);
  EXPECT_EQ(backend->survey({1}, seconds(20)).error().kind, ErrorKind::unavailable);
}

TEST_F(Agents, set_balloons_and_hear_nothing_later_of_those_that_they_missed) {
  auto running = agent();
  const std::string endpoint = running->endpoint();
  const auto backend = manager();
  connect(*backend, endpoint, keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  backend->set_balloon({JobId{4}, 1, 3, kNode, mebibytes(138)});
  EXPECT_TRUE(comes_true([&] { return machine_.count("balloon 4.1-3 on 2: 138") == 1; }));
  running.reset();
  ASSERT_TRUE(comes_true([&] { return suspect_because("does not answer"); }));
  backend->set_balloon({JobId{4}, 1, 3, kNode, mebibytes(100)});
  backend->set_balloon({JobId{4}, 1, 3, NodeId{7}, mebibytes(100)});
  running = agent(endpoint);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  backend->set_balloon({JobId{4}, 1, 3, kNode, mebibytes(200)});
  EXPECT_TRUE(comes_true([&] { return machine_.count("balloon 4.1-3 on 2: 200") == 1; }));
  EXPECT_EQ(machine_.count("balloon 4.1-3 on 2: 100"), 0U);
}

// What an agent answers to the greeting of a manager of this version of the wire.
Result<Head> greeted(const std::string& endpoint, const KeyPair& manager, const Key& agent,
                     std::uint32_t version) {
  zmq::context_t context;
  zmq::socket_t socket = client_socket(context, manager, agent);
  socket.connect(endpoint);
  Hello hello;
  hello.version = version;
  hello.session = "s" + std::to_string(version);
  hello.cluster = "c";
  hello.node = kNode;
  std::optional<Received> received;
  EXPECT_TRUE(comes_true([&] {
    transmit(socket, std::nullopt, {encode(Head{hello}), {}});  // dropped until they are connected
    return (received = receive(socket, false)).has_value();
  }));
  return decode_head(received->frames.head);
}

TEST_F(Agents, refuse_a_manager_of_a_newer_release_and_of_a_much_older_one) {
  const auto running = agent();
  for (const std::uint32_t version : {kWireVersion + 1, kOldestServed - 1}) {
    const auto answer = greeted(running->endpoint(), manager_, keys_.public_key, version);
    ASSERT_TRUE(answer) << answer.error().message;
    const auto* refused = std::get_if<Refused>(&*answer);
    ASSERT_NE(refused, nullptr) << version;
    EXPECT_EQ(refused->why.kind, ErrorKind::unsupported);
    EXPECT_NE(refused->why.message.find("install the release of the newer one"), std::string::npos);
  }
  EXPECT_TRUE(machine_.log().empty());
}

TEST_F(Agents, serve_a_manager_of_the_release_before) {
  const auto running = agent();
  const auto answer = greeted(running->endpoint(), manager_, keys_.public_key, kOldestServed);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(std::holds_alternative<Welcome>(*answer));
}

// The manager has the agent's public key, and the agent does not know the manager's.
TEST_F(Agents, refuse_and_count_a_key_that_they_do_not_know) {
  RunningAgent running(machine_, keys_, {make_keys()->public_key});
  const auto backend = manager();
  connect(*backend, running.endpoint(), keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return suspect_because("has not answered"); }));
  EXPECT_TRUE(machine_.log().empty());
  const AgentCounters counters = running.stop();
  EXPECT_GT(counters.keys_refused, 0U);
  EXPECT_EQ(counters.sessions, 0U);
}

// Something else listens where the agent should be.
TEST_F(Agents, are_not_believed_without_their_own_key) {
  const auto running = agent();
  const auto backend = manager();
  connect(*backend, running->endpoint(), make_keys()->public_key);
  EXPECT_TRUE(comes_true([&] { return suspect_because("has not answered"); }));
  EXPECT_TRUE(machine_.log().empty());
}

TEST_F(Agents, that_start_anew_leave_what_was_under_way_unclear_and_go_on) {
  auto running = agent();
  const std::string endpoint = running->endpoint();
  const auto backend = manager();
  connect(*backend, endpoint, keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  machine_.is_mute = true;
  backend->perform(Create{{kOp, JobId{4}, {0, 1}}, kNode, kFullYield}, spec_of({4}));
  ASSERT_TRUE(comes_true([&] { return machine_.count("create 4 op 9") == 1; }));
  running.reset();
  machine_.is_mute = false;
  running = agent(endpoint);
  ASSERT_TRUE(comes_true([&] { return !events_.all<Outcome>().empty(); }));
  EXPECT_EQ(events_.all<Outcome>().front().error->kind, ErrorKind::timeout);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  backend->perform(Release{{OpId{10}, JobId{4}, {0, 1}}}, spec_of({4}));
  ASSERT_TRUE(comes_true([&] { return events_.all<Outcome>().size() == 2; }));
  EXPECT_FALSE(events_.all<Outcome>().back().error);
  EXPECT_EQ(machine_.count("create 4 op 9"), 1U) << "nothing is done twice";
}

// What a silent node was told is not done long after it has been given up.
TEST_F(Agents, that_come_back_late_do_not_do_what_was_given_up) {
  auto running = agent();
  const std::string endpoint = running->endpoint();
  const auto backend = manager();
  connect(*backend, endpoint, keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  running.reset();
  ASSERT_TRUE(comes_true([&] { return suspect_because("does not answer"); }));
  backend->perform(Cap{{kOp, JobId{4}, {0, 1}}, kFullYield}, spec_of({4}));
  ASSERT_TRUE(comes_true([&] { return !events_.all<Outcome>().empty(); }));
  EXPECT_EQ(events_.all<Outcome>().front().error->kind, ErrorKind::timeout);
  running = agent(endpoint);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  EXPECT_EQ(machine_.count("cap 4 op 9"), 0U);
}

TEST_F(Agents, serve_the_latest_start_of_a_cluster) {
  const auto running = agent();
  const auto second = manager(2);
  connect(*second, running->endpoint(), keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return machine_.count("session of start 2") == 1; }));
  const auto first = manager(1);
  connect(*first, running->endpoint(), keys_.public_key);
  EXPECT_TRUE(comes_true([&] { return suspect_because("a later start of this cluster's manager"); }));
  EXPECT_EQ(machine_.count("session of start 1"), 0U);
  const auto third = manager(3);
  connect(*third, running->endpoint(), keys_.public_key);
  EXPECT_TRUE(comes_true([&] { return machine_.count("session of start 3") == 1; }));
}

TEST_F(Agents, that_have_started_anew_do_nothing_for_a_manager_whose_epoch_is_over) {
  const aliquot::test::TemporaryDirectory directory;
  epochs_ = directory.file("epochs");
  auto running = agent();
  const std::string endpoint = running->endpoint();
  auto first = manager(1);
  connect(*first, endpoint, keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  {
    const auto second = manager(2);
    connect(*second, endpoint, keys_.public_key);
    ASSERT_TRUE(comes_true([&] { return machine_.count("session of start 2") == 1; }));
  }
  first->perform(Cap{{kOp, JobId{4}, {0, 1}}, kFullYield}, spec_of({4}));
  ASSERT_TRUE(comes_true([&] { return suspect_because("a later start of this cluster's manager"); }));
  first.reset();
  EXPECT_NE(running->stop().late.words().find(" cap"), std::string::npos);
  running.reset();
  running = agent(endpoint);
  const std::size_t before = events_.all<NodeChanged>().size();
  first = manager(1);
  connect(*first, endpoint, keys_.public_key);
  first->perform(Cap{{kOp, JobId{4}, {0, 1}}, kFullYield}, spec_of({4}));
  ASSERT_TRUE(comes_true([&] {
    return events_.all<NodeChanged>().size() > before && suspect_because("(epoch 2, this one is 1)");
  }));
  const AgentCounters counters = running->stop();
  EXPECT_GE(counters.epochs_refused, 1U);
  EXPECT_EQ(counters.sessions, 0U);
  EXPECT_EQ(machine_.count("cap 4 op 9"), 0U);
  EXPECT_EQ(machine_.count("session of start 1"), 1U) << "the first one";
}

TEST_F(Agents, tell_the_manager_that_leads_what_they_refuse_to_others) {
  const aliquot::test::TemporaryDirectory directory;
  epochs_ = directory.file("epochs");
  auto running = agent();
  const std::string endpoint = running->endpoint();
  const auto first = manager(1);
  connect(*first, endpoint, keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return machine_.count("session of start 1") == 1; }));
  const auto second = manager(2);
  EXPECT_EQ(second->epochs_refused(kNode), 0U);
  connect(*second, endpoint, keys_.public_key);
  EXPECT_TRUE(comes_true([&] { return second->epochs_refused(kNode) > 0; }));
  running.reset();
  const std::uint64_t before = second->epochs_refused(kNode);
  running = agent(endpoint);
  EXPECT_TRUE(comes_true([&] { return second->epochs_refused(kNode) > before; }));
  EXPECT_EQ(first->epochs_refused(kNode), 0U);
}

TEST(AgentReports, go_on_counting_when_an_agent_that_has_started_anew_counts_from_0) {
  AgentReports reports;
  for (const std::uint64_t told : {2U, 5U, 5U, 1U, 3U}) reports.epochs_refused(kNode, told);
  EXPECT_EQ(reports.epochs_refused(kNode), 8U);
  EXPECT_EQ(reports.epochs_refused(NodeId{7}), 0U);
}

TEST_F(Agents, serve_a_manager_that_makes_its_lost_store_anew_and_the_one_after_it) {
  const auto running = agent();
  for (const std::uint64_t start : {7U, 0U, 1U}) {
    const auto backend = manager(start);
    connect(*backend, running->endpoint(), keys_.public_key);
    const std::string session = "session of start " + std::to_string(start);
    EXPECT_TRUE(comes_true([&] { return machine_.count(session) == 1; })) << session;
  }
}

TEST_F(Agents, serve_one_cluster_at_a_time) {
  const auto running = agent();
  const auto ours = manager(1, "ours");
  connect(*ours, running->endpoint(), keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  const auto theirs = manager(7, "theirs");
  connect(*theirs, running->endpoint(), keys_.public_key);
  EXPECT_TRUE(comes_true([&] { return suspect_because("serves another cluster: ours"); }));
}

TEST_F(Agents, send_a_vm_to_a_node_that_has_an_address_for_moves) {
  const NodeId other{3};
  test::FakeMachine other_machine;
  const RunningAgent other_agent(other_machine, keys_, {manager_.public_key});
  const auto running = agent();
  const auto backend = manager();
  connect(*backend, running->endpoint(), keys_.public_key);
  NodeSettings node = settings(other_agent.endpoint(), keys_.public_key);
  node.name = "other";
  node.migrate_uri = "qemu+tls://other/system";
  backend->set_node(other, node, "");
  ASSERT_TRUE(comes_true([&] { return events_.all<NodeChanged>().size() >= 2 && events_.is_up(); }));
  backend->perform(Migrate{{kOp, JobId{4}, {0, 1}}, kNode, other}, spec_of({4}));
  ASSERT_TRUE(comes_true([&] { return !events_.all<Outcome>().empty(); }));
  EXPECT_FALSE(events_.all<Outcome>().front().error) << events_.all<Outcome>().front().error->message;
  const std::string announced = "move of 4.0 from 2 to 3 qemu+tls://other/system at 5000000";
  using Lines = std::vector<std::string>;
  EXPECT_EQ(machine_.log(), (Lines{"session of start 1", announced, "migrate 4 op 9"}));
  EXPECT_EQ(other_machine.log(), (Lines{"session of start 1", announced, "cap 4 op 9"}));
  EXPECT_TRUE(events_.all<Inspected>().empty()) << "the move asked, not the manager";
}

TEST_F(Agents, refuse_actions_that_name_other_nodes) {
  const auto running = agent();
  const auto backend = manager();
  connect(*backend, running->endpoint(), keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  backend->perform(Create{{kOp, JobId{4}, {0, 1}}, NodeId{1}, kFullYield}, spec_of({4}));
  ASSERT_TRUE(comes_true([&] { return !events_.all<Outcome>().empty(); }));
  EXPECT_EQ(events_.all<Outcome>().front().error->kind, ErrorKind::unavailable);
  EXPECT_EQ(machine_.count("create 4 op 9"), 0U);
}

TEST_F(Agents, of_nodes_that_are_off_are_not_waited_for) {
  auto running = agent();
  const auto backend = manager();
  connect(*backend, running->endpoint(), keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  machine_.is_mute = true;
  backend->perform(Create{{kOp, JobId{4}, {0, 1}}, kNode, kFullYield}, spec_of({4}));
  ASSERT_TRUE(comes_true([&] { return machine_.count("create 4 op 9") == 1; }));
  running.reset();
  backend->inspect({{JobId{4}, 0, 0, {kNode}, true}});
  backend->write_off(kNode);
  ASSERT_TRUE(comes_true([&] { return !events_.all<Inspected>().empty(); }));
  EXPECT_EQ(events_.all<Inspected>().front().fact, VmFact::absent);
  EXPECT_TRUE(comes_true([&] { return !events_.all<Outcome>().empty(); }));
}

TEST_F(Agents, that_save_elsewhere_than_the_configuration_says_are_not_used) {
  auto running = agent();
  const std::string endpoint = running->endpoint();
  const auto backend = manager();
  connect(*backend, endpoint, keys_.public_key, true);
  ASSERT_TRUE(comes_true([&] { return suspect_because("start the agent with --saves DIRECTORY"); }));
  running.reset();
  running = agent(endpoint, true);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); })) << "the agent was started anew";
  connect(*backend, endpoint, keys_.public_key, false);
  ASSERT_TRUE(comes_true([&] { return suspect_because("no local_saves: on"); }));
  connect(*backend, endpoint, keys_.public_key, true);
  EXPECT_TRUE(comes_true([&] { return events_.is_up(); })) << "the configuration was read anew";
}

TEST_F(Agents, with_local_saves_hear_later_of_jobs_that_ended_while_they_were_silent) {
  auto running = agent("tcp://127.0.0.1:*", true);
  const std::string endpoint = running->endpoint();
  const auto backend = manager();
  connect(*backend, endpoint, keys_.public_key, true);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  running.reset();
  ASSERT_TRUE(comes_true([&] { return suspect_because("does not answer"); }));
  backend->write_off(kNode);
  backend->take_back(kNode);  // a new session, which no agent has opened yet
  backend->forget({4});
  running = agent(endpoint, true);
  EXPECT_TRUE(comes_true([&] { return machine_.count("forget 4") == 1; }));
}

TEST_F(AgentsWithKeptVm, whose_node_is_off_do_not_deny_it) {
  const auto running = agent();
  const auto backend = manager();
  connect(*backend, running->endpoint(), keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  machine_.fact = VmFact::absent;
  EXPECT_EQ(inspected(*backend, {JobId{4}, 0, 0, {}}), VmFact::unknown);
  EXPECT_EQ(inspected(*backend, {JobId{4}, 0, 1, {}}), VmFact::absent) << "another incarnation";
  EXPECT_EQ(inspected(*backend, {JobId{4}, 1, 0, {}}), VmFact::absent) << "another task";
  machine_.fact = VmFact::running;
  EXPECT_EQ(inspected(*backend, {JobId{4}, 0, 0, {}}), VmFact::running);
}

TEST_F(AgentsWithKeptVm, deny_it_once_it_is_to_be_destroyed) {
  const auto running = agent();
  const auto backend = manager();
  connect(*backend, running->endpoint(), keys_.public_key);
  ASSERT_TRUE(comes_true([&] { return events_.is_up(); }));
  backend->perform(Destroy{{kOp, JobId{4}, {0, 1}}, NodeId{1}}, spec_of({4}));
  ASSERT_TRUE(comes_true([&] { return !events_.all<Outcome>().empty(); }));
  EXPECT_FALSE(std::filesystem::exists(mark_)) << "its node may never answer";
  machine_.fact = VmFact::absent;
  EXPECT_EQ(inspected(*backend, {JobId{4}, 0, 0, {}}), VmFact::absent);
}

}  // namespace
}  // namespace aliquot::agent
