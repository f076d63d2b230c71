// Terminals on tasks: whose they are, how output waits for its reader, and how one ends.
#include "manager/terminals.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "test/unit/manager/api/answers/small_state.hpp"

namespace aliquot {
namespace {

using nlohmann::json;

// A VM whose output the test writes, and whose input it reads.
struct FakeVm {
  TerminalTarget target;
  TerminalListener listener;
  std::string typed;
  int reads = 0;
  bool takes = true;
  bool open = false;
};

class FakeTerminal final : public VmTerminal {
 public:
  explicit FakeTerminal(std::shared_ptr<FakeVm> vm) : vm_(std::move(vm)) { vm_->open = true; }
  ~FakeTerminal() override { vm_->open = false; }
  void read_on() override { ++vm_->reads; }
  bool write(std::string_view bytes) override {
    if (vm_->takes) vm_->typed += bytes;
    return vm_->takes;
  }

 private:
  std::shared_ptr<FakeVm> vm_;
};

class TerminalsTest : public testing::Test {
 protected:
  static constexpr Peer kAda{1000, 1, true, false, true};
  static constexpr Peer kBob{1001, 1, true, false, true};

  // What is answered by and by is in `replies_`.
  Terminals::Answer answer() {
    return [this](const Reply& reply) { replies_.push_back(reply); };
  }
  // Until so many replies are there, or what the threads have to say has been said.
  void await(std::size_t replies) {
    for (int i = 0; i < 500 && replies_.size() < replies; ++i) {
      take();
      usleep(2'000);
    }
    ASSERT_EQ(replies_.size(), replies);
  }
  void take() {
    for (Message& message : inbox_.drain())
      if (auto* then = std::get_if<Continuation>(&message)) then->run();
  }
  std::uint64_t attach(const Peer& peer, std::uint32_t task) {
    terminals_.on(peer, Attach{{1}, task}, answer());
    await(replies_.size() + 1);
    EXPECT_FALSE(replies_.back().error) << replies_.back().error->message;
    return json::parse(replies_.back().body)["terminal"].get<std::uint64_t>();
  }
  json body() const { return json::parse(replies_.back().body); }
  ErrorKind refused() const {
    return replies_.back().error ? replies_.back().error->kind : ErrorKind::internal;
  }

  test::SmallState small_;
  Scheduler scheduler_{Cluster(small_.state), make_policy("FCFS").value()};
  Inbox inbox_;
  std::shared_ptr<FakeVm> vm_ = std::make_shared<FakeVm>();
  std::vector<Reply> replies_;
  std::vector<std::string> log_;
  Terminals terminals_{{scheduler_, inbox_,
                        [this](const TerminalTarget& target,
                               TerminalListener listener) -> Result<std::unique_ptr<VmTerminal>> {
                          if (target.task == 1) return fail(ErrorKind::unsupported, "it has none");
                          vm_->target = target;
                          vm_->listener = std::move(listener);
                          return std::unique_ptr<VmTerminal>(new FakeTerminal(vm_));
                        },
                        [this](const std::string& line) { log_.push_back(line); }}};
};

TEST_F(TerminalsTest, PassesBytesToAndFro) {
  const auto terminal = attach(kAda, 0);
  EXPECT_EQ(vm_->target.job, JobId{1});
  EXPECT_EQ(vm_->target.incarnation, 1U);
  EXPECT_EQ(log_, std::vector<std::string>{"terminal_opened job=1 task=0 by_uid=1000"});
  terminals_.on(kAda, TerminalWrite{terminal, "ls\n"}, answer());
  EXPECT_EQ(vm_->typed, "ls\n");
  vm_->listener.on_output("a b");
  take();
  EXPECT_EQ(vm_->reads, 1) << "the next is read when this has been";
  terminals_.on(kAda, TerminalRead{terminal}, answer());
  EXPECT_EQ(replies_.back().blob, "a b");
  EXPECT_EQ(body()["ended"], false);
  EXPECT_EQ(vm_->reads, 2);
}

TEST_F(TerminalsTest, AReaderWaitsForOutputForSomeSeconds) {
  const auto terminal = attach(kAda, 0);
  const std::size_t before = replies_.size();
  terminals_.on(kAda, TerminalRead{terminal}, answer());
  terminals_.every_second(Terminals::Clock::now() + std::chrono::seconds(2));
  EXPECT_EQ(replies_.size(), before);
  vm_->listener.on_output("x");
  take();
  ASSERT_EQ(replies_.size(), before + 1);
  EXPECT_EQ(replies_.back().blob, "x");
  terminals_.on(kAda, TerminalRead{terminal}, answer());
  terminals_.on(kAda, TerminalWrite{terminal, "x"}, [](const Reply&) {});
  terminals_.every_second(Terminals::Clock::now() + std::chrono::seconds(6));
  ASSERT_EQ(replies_.size(), before + 2);
  EXPECT_EQ(replies_.back().blob, "");
  EXPECT_EQ(body()["ended"], false);
}

TEST_F(TerminalsTest, BelongsToTheUserWhoOpenedIt) {
  const auto terminal = attach(kAda, 0);
  terminals_.on(kBob, TerminalRead{terminal}, answer());
  EXPECT_EQ(refused(), ErrorKind::not_found);
  terminals_.on(kBob, TerminalWrite{terminal, "rm\n"}, answer());
  EXPECT_EQ(refused(), ErrorKind::not_found);
  EXPECT_EQ(vm_->typed, "");
  terminals_.on(kBob, TerminalClose{terminal}, answer());
  EXPECT_EQ(refused(), ErrorKind::not_found);
}

TEST_F(TerminalsTest, EndsWithItsVmAndSaysWhatWasWritten) {
  const auto terminal = attach(kAda, 0);
  vm_->listener.on_output("last words");
  vm_->listener.on_end("its VM has left");
  take();
  terminals_.on(kAda, TerminalRead{terminal}, answer());
  EXPECT_EQ(replies_.back().blob, "last words");
  EXPECT_EQ(body()["why"], "its VM has left");
  for (int i = 0; i < 500 && vm_->open; ++i) usleep(2'000);
  EXPECT_FALSE(vm_->open) << "the node is told";
  terminals_.every_second(Terminals::Clock::now() + std::chrono::seconds(70));
  terminals_.on(kAda, TerminalRead{terminal}, answer());
  EXPECT_EQ(refused(), ErrorKind::not_found);
}

TEST_F(TerminalsTest, AnotherOnTheSameTaskEndsTheFirst) {
  const auto first = attach(kAda, 0);
  (void)attach(kBob, 0);
  terminals_.on(kAda, TerminalRead{first}, answer());
  EXPECT_EQ(body()["why"], "it was opened again by uid 1001");
}

TEST_F(TerminalsTest, OneThatIsNotReadEnds) {
  const auto terminal = attach(kAda, 0);
  terminals_.every_second(Terminals::Clock::now() + std::chrono::seconds(61));
  terminals_.on(kAda, TerminalRead{terminal}, answer());
  EXPECT_TRUE(replies_.back().error || body()["ended"] == true);
}

TEST_F(TerminalsTest, AGuestThatReadsNothingHoldsUpItsTypistOnly) {
  const auto terminal = attach(kAda, 0);
  vm_->takes = false;
  terminals_.on(kAda, TerminalWrite{terminal, "x"}, answer());
  EXPECT_EQ(refused(), ErrorKind::unavailable);
}

TEST_F(TerminalsTest, SaysWhyThereIsNone) {
  terminals_.on(kAda, Attach{{1}, 1}, answer());
  await(1);
  EXPECT_EQ(replies_.back().error->message, "no terminal on task 1 of job 1: it has none");
  terminals_.on(kAda, Attach{{1}, 2}, answer());
  EXPECT_EQ(replies_.back().error->message, "job 1 has tasks 0 to 1, not 2");
  terminals_.on(kAda, Attach{{2}, 0}, answer());
  EXPECT_EQ(refused(), ErrorKind::conflict) << "it waits";
  terminals_.on(kAda, Attach{{9}, 0}, answer());
  EXPECT_EQ(refused(), ErrorKind::not_found);
}

}  // namespace
}  // namespace aliquot
