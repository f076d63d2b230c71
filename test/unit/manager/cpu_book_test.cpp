// The manager's book of CPU over a job's life, and over the manager's own death.
#include "manager/cpu_book.hpp"

#include <gtest/gtest.h>

#include "test/support/scripted_world.hpp"
#include "test/unit/store/fixture.hpp"

namespace aliquot {
namespace {

using test::OpenStore;
using test::ScriptedWorld;
using test::submission;
using test::TemporaryDirectory;

constexpr JobId kJob{1};

Instant at(std::int64_t second) { return Instant{} + seconds(second); }

// One job of one core, on the first of two nodes at half its need from second 10 on.
class Book : public testing::Test {
 protected:
  Book() : open_(directory_.file("s.db")) {}

  void tell(const Step& step) { book_->on_step(step, world_.scheduler().cluster().view()); }
  // Every action under way succeeds.
  void settle(Step step, std::int64_t second) {
    while (!step.actions.empty()) {
      std::vector<Event> outcomes;
      for (const Action& action : step.actions)
        outcomes.emplace_back(Outcome{head(action).op, head(action).job, head(action).tasks, {}, {}, {}});
      step = world_.at(second, std::move(outcomes));
      tell(step);
    }
  }
  void start_job() {
    world_.will_decide({{kJob, {{{0}, 1}}, Yield{500'000}}});
    const Step step = world_.at(8, {Submitted{kJob, submission(1, 1000, 100)}});
    tell(step);
    settle(step, 10);
  }
  void read(std::int64_t run, std::int64_t cpu, std::int64_t second) {
    book_->read({{kJob, 0, 1, run, {0}, 1, {seconds(cpu), Duration{}, Duration{}}}}, at(second));
  }
  void begin(std::int64_t second) { book_.emplace(parts(), at(second)); }
  CpuBook::Parts parts() { return {world_.scheduler(), *open_.store, metrics_, speeds_}; }

  TemporaryDirectory directory_;
  OpenStore open_;
  ScriptedWorld world_{{test::node(0), test::node(1)}};
  Metrics metrics_{MetricsOptions{"1", "a", "9", {}, {}}};
  std::vector<std::int64_t> speeds_{kMillion / 2, kMillion};  // the first node's cores are half as fast
  std::optional<CpuBook> book_;
};

TEST_F(Book, CountsInTheNodesOwnCores) {
  begin(0);
  start_job();
  const auto use = book_->use(kJob, at(20));
  ASSERT_TRUE(use);
  EXPECT_EQ(use->promised, seconds(12)) << "half a reference core is one of its own";
  EXPECT_EQ(use->granted, seconds(10)) << "not while it was being created";
  EXPECT_EQ(use->used(), std::nullopt);
  read(1, 9, 20);
  EXPECT_EQ(book_->use(kJob, at(20))->used()->cpu, seconds(9));
}

TEST_F(Book, LosesNothingThatWasReadWhenTheManagerIsKilled) {
  begin(0);
  start_job();
  read(1, 9, 20);
  book_->keep(at(20));
  read(1, 11, 22);  // after what was kept last
  open_.store->flush();
  begin(30);
  EXPECT_EQ(book_->use(kJob, at(30))->used()->cpu, seconds(9));
  EXPECT_EQ(book_->use(kJob, at(30))->granted, seconds(20)) << "its VM ran on";
  read(1, 18, 30);
  EXPECT_EQ(book_->use(kJob, at(30))->used()->cpu, seconds(18)) << "the counters tell it again";
  EXPECT_EQ(book_->use(kJob, at(30))->runs.size(), 1U);
}

TEST_F(Book, KnowsAJobThatHasEnded) {
  begin(0);
  start_job();
  read(1, 9, 20);
  const Step step = world_.at(30, {TaskEnded{kJob, {0, 1}, 1, 0, ""}});
  tell(step);
  settle(step, 31);
  book_->keep(at(31));
  book_->keep(at(60));
  open_.store->flush();
  const auto use = book_->use(kJob, at(60));
  ASSERT_TRUE(use);
  EXPECT_EQ(use->granted, seconds(20));
  EXPECT_EQ(use->used()->cpu, seconds(9));
}

}  // namespace
}  // namespace aliquot
