#include "manager/plan_saving.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "manager/api/wire/fields.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using test::node;
using test::running;
using test::submission;
using test::waiting;

// Job 1 runs on n0, job 2 waits, job 3 runs on n2. The plan starts 2 on n1 and slows 1.
ClusterView some_view() {
  ClusterView view;
  view.nodes = {node(0), node(1), node(2)};
  view.jobs.emplace(JobId{1}, running(1, submission(1, 1000, 200), {{{0}, 1}}));
  view.jobs.emplace(JobId{2}, waiting(2, submission(2, 500, 100)));
  view.jobs.emplace(JobId{3}, running(3, submission(1, 1000, 100), {{{2}, 1}}));
  return view;
}
const std::vector<Change> kChanges{{{1}, {{{0}, 1}}, Yield{500'000}, {}},
                                   {{2}, {{{1}, 2}}, kFullYield, {}}};

class SavedPlans : public testing::Test {
 protected:
  [[nodiscard]] std::string refusal() const {
    const auto changes = changes_of(plan, "here", view);
    if (changes) return "";
    EXPECT_EQ(changes.error().kind, ErrorKind::conflict);
    return changes.error().message;
  }
  ClusterView view = some_view();
  SavedPlan plan = saved_plan({"here", "2026-01-01T00:00:00.000Z", "FCFS"}, view, kChanges);
};

TEST_F(SavedPlans, AreTheSameChangesWhileWhatTheyRestOnIsAsItWas) {
  const auto changes = changes_of(plan, "here", view);
  ASSERT_TRUE(changes) << changes.error().message;
  EXPECT_EQ(*changes, kChanges);
}

TEST_F(SavedPlans, ComeBackFromTheFile) {
  const nlohmann::json file{{"saved", wire::saved_plan_json(plan)}};
  wire::Fields fields(file);
  EXPECT_EQ(wire::read_saved_plan(fields, "saved"), plan);
  EXPECT_TRUE(fields.finish());
  nlohmann::json broken = file;
  broken["saved"]["changes"][0]["yield_ppm"] = 2'000'000;
  wire::Fields wrong(broken);
  (void)wire::read_saved_plan(wrong, "saved");
  EXPECT_NE(wrong.finish().error().message.find("saved.changes[0].yield_ppm"), std::string::npos);
}

TEST_F(SavedPlans, RestOnTheJobsAndNodesThatTheyTouchAndOnNothingElse) {
  view.jobs.emplace(JobId{4}, waiting(4, submission(1, 1000, 100)));
  view.jobs.at({3}).yield = Yield{300'000};
  view.nodes[2].service = NodeService::draining;
  EXPECT_EQ(refusal(), "");
}

TEST_F(SavedPlans, AreStaleAndSayWhatHasChanged) {
  view.jobs.at({1}).yield = Yield{700'000};
  EXPECT_NE(refusal().find("job 1 was \"running on n0:1 at yield 1; 1 task of 1 core and 200MiB\" and is "
                           "\"running on n0:1 at yield 0.7; 1 task of 1 core and 200MiB\""),
            std::string::npos)
      << refusal();
  EXPECT_NE(refusal().find("node n0 was"), std::string::npos) << "it gives less";
  view = some_view();
  view.jobs.erase({2});
  EXPECT_NE(refusal().find("job 2 was"), std::string::npos);
  EXPECT_NE(refusal().find("is \"ended\""), std::string::npos);
  view = some_view();
  view.jobs.emplace(JobId{5}, running(5, submission(1, 100, 100), {{{1}, 1}}));
  EXPECT_NE(refusal().find("no jobs\" and is"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find("to jobs 5"), std::string::npos);
  view = some_view();
  view.nodes[1].state = NodeState::suspect;
  EXPECT_NE(refusal().find("node n1 was \"up"), std::string::npos);
  view = some_view();
  view.nodes[1].name = "other";
  EXPECT_NE(refusal().find("not known"), std::string::npos);
}

TEST_F(SavedPlans, AreOfOneCluster) {
  const auto changes = changes_of(plan, "there", view);
  ASSERT_FALSE(changes);
  EXPECT_EQ(changes.error().kind, ErrorKind::conflict);
  EXPECT_NE(changes.error().message.find("\"there\""), std::string::npos) << changes.error().message;
}

TEST_F(SavedPlans, ThatDoNotSayWhatTheyRestOnAreRefused) {
  plan.nodes.pop_back();
  EXPECT_EQ(changes_of(plan, "here", view).error().kind, ErrorKind::invalid_argument);
  plan = saved_plan({"here", "", ""}, view, kChanges);
  plan.jobs.clear();
  EXPECT_EQ(changes_of(plan, "here", view).error().kind, ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace aliquot
