// Terminals on VMs of nodes with agents: what is typed arrives, what is written comes when it is asked for,
// and neither side keeps a terminal that the other has given up.
#include <gtest/gtest.h>

#include "manager/hypervisor/agent/node_terminals.hpp"
#include "manager/hypervisor/agent/remote_terminals.hpp"
#include "test/unit/manager/hypervisor/agent/agents_fixture.hpp"

namespace aliquot::agent {
namespace {

using test::comes_true;
using test::kNode;

class AgentTerminals : public test::Agents {
 protected:
  AgentTerminals() {
    EXPECT_TRUE(comes_true([&] { return events_.is_up(); }));
  }

  Result<std::unique_ptr<VmTerminal>> open(JobId job = {1}) {
    return backend_->open_terminal({job, 0, 3, kNode},
                                   {[this](const std::string& bytes) { heard(bytes); },
                                    [this](const std::string& why) { heard("end: " + why); }});
  }
  void heard(const std::string& what) {
    const std::lock_guard lock(mutex_);
    heard_ += what;
  }
  [[nodiscard]] std::string all_heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  [[nodiscard]] std::string all_typed() const {
    std::string all;
    for (const std::string& line : machine_.log())
      if (line.starts_with("typed ")) all += line.substr(std::string("typed ").size());
    return all;
  }
  [[nodiscard]] bool noted(const std::string& line) {
    return comes_true([&] { return machine_.count(line) == 1; });
  }

  std::mutex mutex_;
  std::string heard_;
  std::unique_ptr<test::RunningAgent> running_ = agent();
  std::unique_ptr<AgentHypervisor> backend_ = [this] {
    auto made = manager();
    connect(*made, running_->endpoint(), keys_.public_key);
    return made;
  }();
};

TEST_F(AgentTerminals, PassOnWhatIsTypedAndWhatIsWritten) {
  auto terminal = open();
  ASSERT_TRUE(terminal) << terminal.error().message;
  EXPECT_TRUE(noted("terminal on 1.0-3 on 2"));
  EXPECT_TRUE((*terminal)->write("ls\r"));
  EXPECT_TRUE(noted("typed ls\r"));
  EXPECT_EQ(machine_.count("terminal reads"), 0U) << "nothing is read before it is asked for";
  (*terminal)->read_on();
  EXPECT_TRUE(noted("terminal reads"));
  const std::string bytes("a\xff\0b", 4);
  machine_.listener().on_output(bytes);
  EXPECT_TRUE(comes_true([&] { return all_heard() == bytes; }));
  terminal->reset();
  EXPECT_TRUE(noted("terminal closed"));
}

TEST_F(AgentTerminals, OnAVmThatIsNotThereAreRefused) {
  const auto terminal = open({7});
  ASSERT_FALSE(terminal);
  EXPECT_EQ(terminal.error().kind, ErrorKind::not_found);
  EXPECT_EQ(terminal.error().message, "it has no such VM");
}

TEST_F(AgentTerminals, TakeAsMuchAsTheGuestDoes) {
  machine_.reads_nothing = true;
  auto terminal = open();
  ASSERT_TRUE(terminal);
  const std::string half(kMostTerminalBytes / 2, 'x');
  EXPECT_TRUE((*terminal)->write(half));
  EXPECT_TRUE((*terminal)->write(half));
  EXPECT_FALSE((*terminal)->write("y")) << "so much is on its way already";
  machine_.reads_nothing = false;
  EXPECT_TRUE(comes_true([&] { return (*terminal)->write("y"); })) << "the agent tries again by itself";
  EXPECT_TRUE(comes_true([&] { return all_typed() == half + half + "y"; }));
}

TEST_F(AgentTerminals, EndWithTheVm) {
  auto terminal = open();
  ASSERT_TRUE(terminal);
  machine_.listener().on_end("its VM has left");
  EXPECT_TRUE(comes_true([&] { return all_heard() == "end: its VM has left"; }));
  terminal->reset();
  EXPECT_TRUE(noted("terminal closed"));
}

TEST_F(AgentTerminals, EndWhenTheAgentDoesNotAnswerAnyMore) {
  auto terminal = open();
  ASSERT_TRUE(terminal);
  running_.reset();
  EXPECT_TRUE(noted("terminal closed")) << "with the session";
  EXPECT_TRUE(comes_true([&] { return all_heard().find("end: ") == 0; }));
  EXPECT_NE(all_heard().find("does not answer"), std::string::npos) << all_heard();
  EXPECT_EQ(open().error().kind, ErrorKind::unavailable);
}

TEST_F(AgentTerminals, AreNotHeardOfAfterTheirEnd) {
  auto terminal = open();
  ASSERT_TRUE(terminal);
  const TerminalListener listener = machine_.listener();
  terminal->reset();
  listener.on_output("late");
  EXPECT_TRUE(noted("terminal closed"));
  EXPECT_TRUE(open()) << "the agent goes on";
  EXPECT_EQ(all_heard(), "");
}

// The node's end alone.
class TerminalsOfANode : public testing::Test {
 protected:
  [[nodiscard]] std::vector<FromTerminal> said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }
  [[nodiscard]] std::size_t refusals() {
    const std::lock_guard lock(mutex_);
    return refusals_;
  }
  void hear(const FromAgent& message) {
    const std::lock_guard lock(mutex_);
    if (const auto* terminal = std::get_if<FromTerminal>(&message)) said_.push_back(*terminal);
    if (const auto* answer = std::get_if<Answer>(&message)) refusals_ += answer->error ? 1 : 0;
  }

  std::mutex mutex_;
  std::vector<FromTerminal> said_;
  std::size_t refusals_ = 0;
  test::FakeMachine machine_;
  Inbox inbox_;
  NodeTerminals terminals_{{kNode,
                            [this](const TerminalTarget&, TerminalListener listener) {
                              return Result<std::unique_ptr<VmTerminal>>(
                                  std::make_unique<test::FakeTerminal>(machine_, std::move(listener)));
                            },
                            [this](const FromAgent& message) { hear(message); }, inbox_}};
};

TEST_F(TerminalsOfANode, EndOneThatTypesMoreThanWasTaken) {
  machine_.reads_nothing = true;
  terminals_.open({1, {1}, 0, 3});
  for (int i = 0; i < 2; ++i) terminals_.take({1, std::string(kMostTerminalBytes, 'x'), false, false});
  ASSERT_EQ(said().size(), 1U);
  EXPECT_EQ(said()[0].end, "more was typed than the agent was ready to take");
  EXPECT_TRUE(comes_true([&] { return machine_.count("terminal closed") == 1; }));
}

TEST_F(TerminalsOfANode, AreNotMoreThanAManagerHas) {
  for (std::uint64_t number = 1; number <= 65; ++number) terminals_.open({number, {1}, 0, 3});
  EXPECT_EQ(refusals(), 1U);
  terminals_.take({1, {}, false, true});
  terminals_.open({66, {1}, 0, 3});
  EXPECT_EQ(refusals(), 1U);
}

// As when the manager has waited for too long.
TEST_F(TerminalsOfANode, ThatAreClosedBeforeTheyAreOpenDoNotStay) {
  for (std::uint64_t number = 1; number <= 20; ++number) {
    terminals_.open({number, {1}, 0, 3});
    terminals_.take({number, {}, false, true});
  }
  EXPECT_TRUE(comes_true([&] { return machine_.count("terminal closed") == 20; }));
}

}  // namespace
}  // namespace aliquot::agent
