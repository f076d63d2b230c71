// The memory that a job is counted with follows what its guests say.
#include "policies/needs/memory_watch.hpp"

#include <gtest/gtest.h>

namespace aliquot::needs {
namespace {

Instant at(std::int64_t second) { return Instant{} + seconds(second); }

// A job of one VM or more, whose guests tell every five seconds. What it decides is in force at once.
class memory_watch : public testing::Test {
 protected:
  // Each second: what is in force is what the guest has.
  void run(std::int64_t seconds, std::int64_t used_mib, std::uint32_t tasks = 1) {
    for (const std::int64_t end = now_ + seconds; now_ < end; ++now_) {
      if (now_ % 5 == 0)
        for (std::uint32_t task = 0; task < tasks; ++task)
          watch_.observe({task, at(now_), in_force_, std::max(Memory{}, in_force_ - mebibytes(used_mib))});
      decide(tasks);
    }
  }
  void decide(std::size_t tasks = 1) {
    const auto change = watch_.decide(in_force_, tasks, at(now_));
    if (!change) return;
    in_force_ = change->memory;
    changes_.push_back({now_, *change});
  }

  // Until what is in force is lowered, or all is back; for how long.
  std::int64_t until_lowered(std::int64_t used_mib) {
    const std::int64_t began = now_;
    while (in_force_ == terms_.declared && now_ < began + 10'000) run(1, used_mib);
    return now_ - began;
  }
  void until_raised(std::int64_t used_mib) {
    for (int k = 0; in_force_ != terms_.declared && k < 1000; ++k) run(1, used_mib);
  }

  MemoryTerms terms_{mebibytes(1000), mebibytes(600)};
  MemoryWatch watch_{terms_};
  Memory in_force_ = terms_.declared;
  std::int64_t now_ = 0;
  std::vector<std::pair<std::int64_t, MemoryChange>> changes_;
};

TEST_F(memory_watch, lowers_to_the_largest_use_of_a_minute_and_a_margin) {
  run(30, 560);
  run(29, 500);
  EXPECT_TRUE(changes_.empty()) << "a minute is not over";
  run(10, 500);
  ASSERT_EQ(changes_.size(), 1U);
  EXPECT_EQ(changes_[0].second.memory, mebibytes(700)) << "560 and a quarter";
  EXPECT_EQ(changes_[0].second.used, mebibytes(560));
  EXPECT_EQ(explain(changes_[0].second, terms_),
            "a task of it uses 560 MiB of the 1000 MiB that it declares");
}

TEST_F(memory_watch, never_lowers_below_what_is_kept) {
  run(300, 10);
  ASSERT_EQ(changes_.size(), 1U);
  EXPECT_EQ(in_force_, mebibytes(600));
}

TEST_F(memory_watch, leaves_a_job_alone_that_uses_nearly_all) {
  run(300, 780);
  EXPECT_TRUE(changes_.empty()) << "975 are not worth it";
}

TEST_F(memory_watch, gives_all_back_at_once_when_half_of_the_margin_is_used) {
  run(70, 400);
  ASSERT_EQ(in_force_, mebibytes(600));
  run(5, 520);
  EXPECT_EQ(in_force_, mebibytes(600)) << "80 MiB are left, and 65 are half of a margin";
  run(5, 550);
  EXPECT_EQ(in_force_, terms_.declared);
  EXPECT_EQ(changes_.back().second.used, mebibytes(550));
  EXPECT_EQ(explain(changes_.back().second, terms_),
            "a task of it uses 550 MiB of the 1000 MiB that it declares, and may want more");
}

TEST_F(memory_watch, asks_for_all_when_one_of_its_tasks_wants_it) {
  run(70, 400, 3);
  ASSERT_EQ(in_force_, mebibytes(600));
  watch_.observe({1, at(now_), in_force_, mebibytes(20)});
  decide(3);
  EXPECT_EQ(in_force_, terms_.declared);
}

TEST_F(memory_watch, lowers_only_once_every_task_was_watched_for_a_minute) {
  run(70, 400, 1);
  watch_.forget(0);
  in_force_ = terms_.declared;
  changes_.clear();
  run(50, 400, 2);
  EXPECT_TRUE(changes_.empty());
  for (int k = 0; k < 100; ++k, ++now_) {
    watch_.observe({0, at(now_), in_force_, mebibytes(600)});
    decide(2);
  }
  EXPECT_TRUE(changes_.empty()) << "nothing is known of the other any more";
}

TEST_F(memory_watch, does_not_reach_across_a_silence) {
  run(40, 400);
  now_ += 25;
  run(40, 400);
  EXPECT_TRUE(changes_.empty());
  run(30, 400);
  EXPECT_EQ(in_force_, mebibytes(600));
}

TEST_F(memory_watch, tries_again_after_a_while_that_doubles) {
  std::vector<std::int64_t> waited;
  for (int round = 0; round < 8; ++round) {
    waited.push_back(until_lowered(400));
    until_raised(900);
  }
  // What was used before stays in the window for a minute.
  for (std::size_t k = 2; k < waited.size(); ++k) {
    const std::int64_t expected = std::min<std::int64_t>(std::int64_t{60} << (k - 1), 3600);
    EXPECT_NEAR(static_cast<double>(waited[k]), static_cast<double>(std::max<std::int64_t>(expected, 75)),
                20)
        << k;
  }
}

TEST_F(memory_watch, begins_with_a_minute_again_after_a_level_has_held) {
  for (int round = 0; round < 5; ++round) {
    (void)until_lowered(400);
    until_raised(900);
  }
  EXPECT_GT(until_lowered(400), 900);
  run(200, 400);
  until_raised(900);
  EXPECT_LE(until_lowered(400), 90);
}

TEST_F(memory_watch, does_not_try_again_at_once_what_could_not_be_done) {
  run(61, 400);
  ASSERT_EQ(changes_.size(), 1U);
  in_force_ = terms_.declared;
  watch_.undo(at(now_));
  run(55, 400);
  EXPECT_EQ(changes_.size(), 1U);
  run(10, 400);
  EXPECT_EQ(changes_.size(), 2U);
}

TEST_F(memory_watch, gives_back_what_may_not_be_lent_any_more) {
  run(70, 400);
  ASSERT_EQ(in_force_, mebibytes(600));
  watch_ = MemoryWatch({terms_.declared, terms_.declared});
  decide();
  EXPECT_EQ(in_force_, terms_.declared);
}

// Whatever a guest uses, it is never left less than half a margin for longer than a telling.
TEST_F(memory_watch, holds_for_any_use) {
  std::uint64_t state = 7;
  const auto draw = [&state](std::uint64_t most) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state >> 33) % most);
  };
  for (int k = 0; k < 2000; ++k) {
    const std::int64_t used = std::min<std::int64_t>(1 + draw(990), in_force_.raw >> 20);
    run(5, used);
    EXPECT_GE(in_force_, terms_.least);
    EXPECT_LE(in_force_, terms_.declared);
    if (in_force_ < terms_.declared) {
      EXPECT_GE((in_force_ - mebibytes(used)).raw, margin_of(mebibytes(used)).raw / 2);
    }
  }
}

}  // namespace
}  // namespace aliquot::needs
