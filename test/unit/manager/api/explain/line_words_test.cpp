#include "manager/api/explain/line_words.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "manager/store/log_lines.hpp"
#include "test/unit/manager/api/answers/small_state.hpp"

namespace aliquot::wire {
namespace {

// Nodes n0 and n1.
const ClusterView& view() {
  static const test::SmallState small;
  return small.state.view;
}

// What the lines of a step say, as the store writes them.
std::vector<std::string> words(const Step& step) {
  std::vector<std::string> all;
  for (const StoredLine& line : log_lines(step))
    all.push_back(line_words(view(), nlohmann::json::parse(line.json)));
  return all;
}
std::string words(Event event) {
  Step step;
  step.events = {std::move(event)};
  return words(step).front();
}
std::string words(Action action) {
  Step step;
  step.actions = {std::move(action)};
  return words(step).front();
}

TEST(LineWords, EventsNameNodesAndSayWhy) {
  EXPECT_EQ(words(Submitted{{7}, test::submission(1, 1000, 128)}), "was submitted");
  EXPECT_EQ(words(Cancelled{{7}, JobResult::cancelled, "by its user"}),
            "is to end (cancelled): by its user");
  EXPECT_EQ(words(NodeChanged{{1}, NodeState::down, "no answer"}), "node n1 became down: no answer");
  EXPECT_EQ(words(TaskEnded{{7}, {0, 1}, 1, 3, "killed"}), "task 0 ended with exit code 3: killed");
  Outcome outcome{{17}, {7}, {0, 4}, {}, {924'101}, {}};
  EXPECT_EQ(words(outcome), "action 17 of tasks 0 to 3 took 0.92 s");
  outcome.error = Error{ErrorKind::timeout, "n1 did not answer"};
  EXPECT_EQ(words(outcome), "action 17 of tasks 0 to 3 failed after 0.92 s: n1 did not answer");
}

TEST(LineWords, ActionsSayOfWhichTasksOnWhichNodes) {
  const ActionHead head{{17}, {7}, {0, 2}};
  TaskNodes both{NodeId{0}};
  both.append(1, NodeId{1}, 2);
  EXPECT_EQ(words(Create{head, both, Yield{500'000}}),
            "action 17: create tasks 0 to 1 on n0,n1, at yield 0.50");
  EXPECT_EQ(words(Restore{head, {NodeId{1}}, kFullYield, 3}),
            "action 17: restore tasks 0 to 1 on n1:2, at yield 1.00, from checkpoint 3");
  EXPECT_EQ(words(Migrate{{{18}, {7}, {1, 1}}, {NodeId{0}}, {NodeId{1}}}),
            "action 18: migrate task 1 from n0 to n1");
  EXPECT_EQ(words(Release{head}), "action 17: let tasks 0 to 1 run");
}

TEST(LineWords, DecisionsAndEnds) {
  Step step;
  step.decision = Decision{"EASY", {}, {{{{7}, {{{1}, 2}}, kFullYield}}, {}, {}}, true, {}, 5};
  JobOutcome ended;
  ended.job = {7};
  ended.submission = test::submission(1, 1000, 128);
  ended.result = JobResult::failed;
  ended.exit_code = 3;
  step.ended = {ended};
  EXPECT_EQ(words(step),
            (std::vector<std::string>{"EASY decided: 1 job changes", "EASY wants it on n1:2 at yield 1.00",
                                      "ended: failed, exit code 3"}));
}

TEST(LineWords, OfWhatIsNotKnownNothingIsSaid) {
  EXPECT_EQ(line_words(view(), nlohmann::json::parse(R"({"event":"of another release"})")), "");
  EXPECT_EQ(line_words(view(), nlohmann::json("text")), "");
}

}  // namespace
}  // namespace aliquot::wire
