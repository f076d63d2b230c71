#include "manager/hypervisor/libvirt/call_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace aliquot {
namespace {

using namespace std::chrono_literals;

// Counts how often it was completions, and how.
struct Completions {
  std::atomic<int> done{0};
  std::atomic<int> given_up{0};
  std::atomic<int> kind{-1};
  [[nodiscard]] int total() const { return done + given_up; }
};

class CallQueueTest : public testing::Test {
 protected:
  void TearDown() override {
    release_.set_value();
    for (const auto& queue : queues_) queue->stop();
    watchdog_->stop();
  }
  std::shared_ptr<CallQueue> queue(std::uint32_t threads) {
    queues_.push_back(
        CallQueue::start("node n", threads, watchdog_, [this](const QueuedCall&) { ++overdue_; }));
    return queues_.back();
  }
  QueuedCall call(const std::shared_ptr<Completions>& completions, Duration deadline,
                  std::function<void()> body) {
    auto once = std::make_shared<std::atomic<bool>>(false);
    QueuedCall out;
    out.what = "try";
    out.deadline = deadline;
    out.run = [completions, once, body = std::move(body)] {
      body();
      if (!once->exchange(true)) ++completions->done;
    };
    out.give_up = [completions, once](const Error& why) {
      if (once->exchange(true)) return false;
      completions->kind = static_cast<int>(why.kind);
      ++completions->given_up;
      return true;
    };
    return out;
  }
  // A call that does not return before the test is over.
  QueuedCall stuck(const std::shared_ptr<Completions>& completions, Duration deadline = {50'000}) {
    return call(completions, deadline, [released = released_] { released.wait(); });
  }
  static bool comes(const std::function<bool()>& condition) {
    for (int i = 0; i < 2000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
    return condition();
  }

  std::promise<void> release_;
  std::shared_future<void> released_ = release_.get_future().share();
  std::shared_ptr<Watchdog> watchdog_ = std::make_shared<Watchdog>();
  std::vector<std::shared_ptr<CallQueue>> queues_;
  std::atomic<int> overdue_{0};
};

TEST_F(CallQueueTest, makes_its_calls_in_order) {
  const auto one = queue(1);
  std::vector<int> order;
  const auto completions = std::make_shared<Completions>();
  for (int i = 0; i < 100; ++i)
    one->push(call(completions, seconds(5), [&order, i] { order.push_back(i); }));
  ASSERT_TRUE(comes([&] { return completions->done == 100; }));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST_F(CallQueueTest, completes_an_overdue_call_once_and_goes_on_without_its_thread) {
  const auto one = queue(1);
  const auto first = std::make_shared<Completions>();
  const auto second = std::make_shared<Completions>();
  one->push(stuck(first));
  one->push(call(second, seconds(5), [] {}));
  EXPECT_TRUE(comes([&] { return second->done == 1; })) << "it waits behind the stuck one";
  EXPECT_EQ(first->given_up, 1);
  EXPECT_EQ(first->kind, static_cast<int>(ErrorKind::timeout));
  EXPECT_TRUE(comes([&] { return overdue_ == 1; }));
}

TEST_F(CallQueueTest, refuses_calls_when_too_many_have_not_returned) {
  const auto one = queue(1);
  const auto lost = std::make_shared<Completions>();
  for (int i = 0; i < 9; ++i) one->push(stuck(lost, {10'000}));
  ASSERT_TRUE(comes([&] { return lost->given_up == 9; }));
  const auto late = std::make_shared<Completions>();
  ASSERT_TRUE(comes([&] {
    one->push(call(late, seconds(5), [] {}));
    return late->given_up > 0;
  }));
  EXPECT_EQ(late->kind, static_cast<int>(ErrorKind::unavailable));
}

TEST_F(CallQueueTest, takes_calls_again_when_lost_ones_return) {
  const auto one = queue(1);
  std::promise<void> back;
  const auto returned = back.get_future().share();
  const auto lost = std::make_shared<Completions>();
  for (int i = 0; i < 9; ++i) one->push(call(lost, {10'000}, [returned] { returned.wait(); }));
  ASSERT_TRUE(comes([&] { return lost->given_up == 9; }));
  back.set_value();
  const auto late = std::make_shared<Completions>();
  EXPECT_TRUE(comes([&] {
    one->push(call(late, seconds(5), [] {}));
    return late->done > 0;
  }));
  EXPECT_EQ(lost->done, 0) << "late answers are dropped";
}

TEST_F(CallQueueTest, gives_back_what_has_not_begun) {
  const auto one = queue(1);
  const auto running = std::make_shared<Completions>();
  const auto waiting = std::make_shared<Completions>();
  std::promise<void> begun;
  one->push(call(running, {}, [&begun, released = released_] {
    begun.set_value();
    released.wait();
  }));
  begun.get_future().wait();
  for (std::uint64_t i = 1; i <= 3; ++i) {
    QueuedCall next = call(waiting, {}, [] {});
    next.op = {i};
    one->push(std::move(next));
  }
  const auto taken = one->withdraw([](const QueuedCall& each) { return each.op.raw == 2; });
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_TRUE(taken[0].give_up({ErrorKind::conflict, "given up"}));
  EXPECT_EQ(one->withdraw([](const QueuedCall&) { return true; }).size(), 2U);
}

TEST_F(CallQueueTest, stops_without_waiting_for_what_does_not_return) {
  const auto one = queue(2);
  const auto completions = std::make_shared<Completions>();
  for (int i = 0; i < 4; ++i) one->push(stuck(completions, {}));
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(20ms);
  one->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 4s);
  EXPECT_EQ(completions->given_up, 2) << "the two in the queue";
  one->push(stuck(completions));
  EXPECT_EQ(completions->given_up, 3);
}

TEST_F(CallQueueTest, an_exception_ends_a_call_and_not_the_queue) {
  const auto one = queue(1);
  const auto completions = std::make_shared<Completions>();
  one->push(call(completions, seconds(5), [] { throw std::runtime_error("no memory"); }));
  one->push(call(completions, seconds(5), [] {}));
  EXPECT_TRUE(comes([&] { return completions->total() == 2; }));
  EXPECT_EQ(completions->kind, static_cast<int>(ErrorKind::internal));
}

}  // namespace
}  // namespace aliquot
