#include "tools/replay/replay.hpp"

#include <gtest/gtest.h>

#include "manager/store/maintenance.hpp"
#include "test/unit/tools/replay/recorded.hpp"

namespace aliquot {
namespace {

using test::record_fault_run;
using test::Recorded;
using test::TemporaryDirectory;
using test::write_journal;

std::string text_of(const Difference& d) {
  return "step " + std::to_string(d.step) + " " + d.part + "\n" + d.expected + "\n" + d.got;
}

TEST(Replay, DecidesFaultRunsAnewAsTheyWereDecided) {
  const TemporaryDirectory folder;
  for (const char* policy : {"EASY", "GREEDY", "GREEDY-PMTN-MIGR", "DYNMCB8-PER-600"}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Recorded recorded = record_fault_run(seed, policy);
      ASSERT_EQ(recorded.complaint, "") << policy << ", seed " << seed;
      write_journal(folder.file("journal"), recorded.begin, recorded.steps);
      const auto result = replay_journal(folder.file("journal"));
      ASSERT_TRUE(result) << result.error().message << ", " << policy << ", seed " << seed;
      ASSERT_FALSE(result->difference)
          << policy << ", seed " << seed << ": " << text_of(*result->difference);
      ASSERT_EQ(result->last_step, recorded.steps.size());
    }
  }
}

// As steps of before version 3 are read.
std::vector<Step> with_whole_memories(std::vector<Step> steps) {
  PolicyMemory memory;
  for (Step& step : steps) {
    if (!step.decision || !step.decision->adopted) continue;
    remember(step.decision->memory, memory);
    step.decision->memory = memory_change({}, memory);
    step.decision->memory.whole = true;
  }
  return steps;
}

TEST(Replay, ComparesTheWholeMemoryOfOlderSteps) {
  Recorded recorded = record_fault_run(1, "GREEDY");
  auto replay = Replay::from(std::move(recorded.begin), "");
  ASSERT_TRUE(replay) << replay.error().message;
  for (Step& step : with_whole_memories(std::move(recorded.steps))) {
    const bool remembers = step.decision && !step.decision->memory.retries.empty();
    if (remembers) ++step.decision->memory.retries.begin()->second.failures;
    const auto found = replay->decide_again(step);
    ASSERT_EQ(found.has_value(), remembers) << (found ? text_of(*found) : "");
    if (found) return;
  }
  FAIL() << "no job was ever tried in vain";
}

TEST(Replay, ReadsWhatTheStoreExports) {
  const TemporaryDirectory folder;
  const std::uint64_t midway = 40;
  Recorded recorded = record_fault_run(3, "GREEDY-PMTN-MIGR", midway);
  ASSERT_EQ(recorded.midway.steps, midway);
  {
    test::OpenStore open(folder.file("db"));
    ASSERT_TRUE(open.recovered) << open.recovered.error().message;
    for (const Step& step : recorded.steps) {
      open.store->append(step);
      if (step.number == midway) open.store->snapshot(recorded.midway);
    }
    open.store->flush();
  }
  std::ofstream file(folder.file("export"));
  ASSERT_TRUE(export_store(folder.file("db"), file));
  file.close();
  const auto result = replay_journal(folder.file("export"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->difference) << text_of(*result->difference);
  EXPECT_EQ(result->first_step, midway + 1);
  EXPECT_EQ(result->last_step, recorded.steps.size());
}

// A manager as it is born: no snapshot, its nodes and its policy come as events.
TEST(Replay, BeginsWithTheFirstStepOfAStore) {
  const TemporaryDirectory folder;
  Scheduler live(Cluster(std::vector<Node>{}), std::move(*make_policy("DYNMCB8-PER-600")));
  std::vector<Step> steps;
  std::vector<Event> events{Configured{{{NodeId{0}, "a", cores(4), Memory{1000}, NodeState::up, 4}}},
                            PolicyChanged{"DYNMCB8-PER-600"}, ModeChanged{Mode::automatic}};
  Submission submission;
  submission.demand = {1, cores(3), Memory{10}, {}, {}, true};
  for (std::int64_t s = 0; s < 700; s += 100) {
    if (s == 100 || s == 300) events.emplace_back(Submitted{{static_cast<std::uint64_t>(s)}, submission});
    steps.push_back(live.round({s * kMillion}, std::exchange(events, {})));
    for (const Action& action : steps.back().actions)
      events.emplace_back(Outcome{head(action).op, head(action).job, head(action).tasks, {}, {}, {}});
  }
  ASSERT_FALSE(steps[6].actions.empty()) << "the tick at 600 s was to place the jobs";
  write_journal(folder.file("journal"), std::nullopt, steps);
  const auto result = replay_journal(folder.file("journal"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->difference) << text_of(*result->difference);
  EXPECT_EQ(result->first_step, 1U);
}

class Planted : public testing::Test {
 protected:
  // The first step at which `change` finds something to change.
  template <class Change>
  void expect_found(const std::string& part, Change change) {
    std::vector<Step> steps = recorded_.steps;
    const auto at = std::ranges::find_if(steps, change);
    ASSERT_NE(at, steps.end());
    write_journal(folder_.file("journal"), recorded_.begin, steps);
    const auto result = replay_journal(folder_.file("journal"));
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_TRUE(result->difference);
    EXPECT_EQ(result->difference->step, at->number);
    EXPECT_EQ(result->difference->now, at->now);
    EXPECT_EQ(result->difference->part, part);
    EXPECT_NE(result->difference->expected, result->difference->got);
  }
  const TemporaryDirectory folder_;
  const Recorded recorded_ = record_fault_run(2, "DYNMCB8-PER-60");
};

TEST_F(Planted, OtherYieldsAreFound) {
  expect_found("decision", [](Step& step) {
    if (step.number < 20 || !step.decision || step.decision->plan.changes.empty()) return false;
    step.decision->plan.changes.back().yield.raw -= 1;
    return true;
  });
}

TEST_F(Planted, AChangeThatWasNotDecidedIsFound) {
  expect_found("decision", [](Step& step) {
    if (!step.decision || step.decision->plan.changes.empty()) return false;
    step.decision->plan.changes.pop_back();
    return true;
  });
}

TEST_F(Planted, ADecisionThatWasNotTakenIsFound) {
  expect_found("decision",
               [](Step& step) { return std::exchange(step.decision, std::nullopt).has_value(); });
}

TEST_F(Planted, AnotherActionIsFound) {
  expect_found("action", [](Step& step) {
    if (step.number < 10 || step.actions.empty()) return false;
    step.actions.pop_back();
    return true;
  });
}

TEST_F(Planted, ATickThatDidNotComeIsFound) {
  expect_found("event", [](Step& step) {
    return std::erase_if(step.events, [](const Event& e) { return std::holds_alternative<Tick>(e); }) > 0;
  });
}

TEST_F(Planted, AnotherEndIsFound) {
  expect_found("end", [](Step& step) {
    if (step.ended.empty()) return false;
    step.ended.front().preemptions += 1;
    return true;
  });
}

TEST_F(Planted, TimesOfDecisionsAreNotCompared) {
  std::vector<Step> steps = recorded_.steps;
  for (Step& step : steps)
    if (step.decision) step.decision->nanoseconds = 12345;
  write_journal(folder_.file("journal"), recorded_.begin, steps);
  const auto result = replay_journal(folder_.file("journal"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->difference);
}

TEST_F(Planted, WhatIsNoJournalIsRefused) {
  const auto refused = [&](const std::string& text) {
    std::ofstream(folder_.file("bad"), std::ios::binary) << text;
    const auto result = replay_journal(folder_.file("bad"));
    return result ? std::string("accepted") : result.error().message;
  };
  EXPECT_NE(refused("").find("holds no step"), std::string::npos);
  EXPECT_NE(refused("hello\n").find(":1: not JSON"), std::string::npos);
  EXPECT_NE(refused(std::string(200'000, '[')).find(":1: "), std::string::npos);
  EXPECT_NE(refused(std::string("\0\0\n", 3)).find(":1: "), std::string::npos);
  EXPECT_NE(refused("{\"snapshot\":{}}\n").find("the snapshot"), std::string::npos);
  EXPECT_NE(refused("{\"snapshot\":").find(":1: "), std::string::npos);
  EXPECT_NE(refused(encode_step(recorded_.steps[5]) + "\n").find("db export"), std::string::npos);
  const std::string begin = R"({"snapshot":)" + encode_state(recorded_.begin) + "}\n";
  EXPECT_NE(refused(begin + encode_step(recorded_.steps[1]) + "\n").find("steps were lost"),
            std::string::npos);
  EXPECT_NE(refused(begin + encode_step(recorded_.steps[0]) + "\n" + begin).find("in the midst"),
            std::string::npos);
}

}  // namespace
}  // namespace aliquot
