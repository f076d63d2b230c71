#include "manager/plan_requests.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using nlohmann::json;
using test::node;
using test::submission;

class PlanRequests : public testing::Test {
 protected:
  PlanRequests() {
    (void)scheduler_.round({}, {ModeChanged{Mode::advise, 0}, Submitted{{1}, submission(1, 1000, 100)}});
  }
  [[nodiscard]] PlanSituation now() const {
    return {scheduler_, input_, "here", AnswerClock{{}, Calendar(std::int64_t{0})}, 1000, {}};
  }
  [[nodiscard]] json shown(const PlanShow& request) const {
    const auto body = shown_plan(request, now());
    return body ? json::parse(*body) : json(body.error().message);
  }
  [[nodiscard]] SavedPlan saved() const {
    const json body = shown({{}, true})["saved"];
    SavedPlan plan{"here", "", "", {{{1}, {{"n0", 1}}, kFullYield}}, {}, {}};
    for (const json& each : body["jobs"])
      plan.jobs.push_back({{each["job"].get<std::uint64_t>()}, each["facts"].get<std::string>()});
    for (const json& each : body["nodes"])
      plan.nodes.push_back({each["node"].get<std::string>(), each["facts"].get<std::string>()});
    return plan;
  }

  Scheduler scheduler_{Cluster({node(0), node(1)}), make_policy("FCFS").value()};
  StepInput input_;
};

TEST_F(PlanRequests, APlanIsSavedOnlyIfThatIsAskedFor) {
  EXPECT_FALSE(shown({}).contains("saved"));
  const json plan = shown({{}, true});
  EXPECT_EQ(plan["starts"][0]["job"], 1);
  EXPECT_EQ(plan["saved"]["changes"][0]["job"], 1);
  EXPECT_EQ(plan["saved"]["jobs"][0]["facts"], "waiting; 1 task of 1 core and 100MiB");
  EXPECT_EQ(plan["carried_out"], false);
}

TEST_F(PlanRequests, OfOtherNodesNothingIsSaved) {
  EXPECT_NE(shown({{"node-down=n1"}, true}).get<std::string>().find("cannot be saved"), std::string::npos);
  EXPECT_TRUE(shown({{"policy=GREEDY"}, true}).contains("saved"));
  const json supposed = shown({{"node-down=n1"}});
  EXPECT_EQ(supposed["what_if"], json::array({"node-down=n1"}));
  EXPECT_EQ(supposed["policy"], "FCFS");
  EXPECT_EQ(shown({{"policy=GREEDY"}})["policy"], "GREEDY");
  EXPECT_NE(shown({{"node-down=n9"}}).get<std::string>().find("n9"), std::string::npos);
}

TEST_F(PlanRequests, ASavedPlanBecomesAnEventOfItsOperator) {
  const auto applied = applied_plan({saved(), false}, now());
  ASSERT_TRUE(applied) << applied.error().message;
  ASSERT_EQ(applied->events.size(), 1U);
  const auto& event = std::get<PlanApplied>(applied->events[0]);
  EXPECT_EQ(event.by, 1000U);
  EXPECT_EQ(event.changes.at(0).placement, (Placement{{{0}, 1}}));
  EXPECT_EQ(json::parse(applied->body)["carried_out"], true);
  EXPECT_EQ(json::parse(applied->body)["starts"][0]["job"], 1);
  const auto dry = applied_plan({saved(), true}, now());
  ASSERT_TRUE(dry);
  EXPECT_FALSE(dry->changes);
  EXPECT_TRUE(dry->events.empty());
  EXPECT_EQ(json::parse(dry->body)["carried_out"], false);
}

TEST_F(PlanRequests, OnePlanIsCarriedOutAtATime) {
  input_.events.emplace_back(PlanApplied{});
  EXPECT_EQ(applied_plan({saved(), false}, now()).error().kind, ErrorKind::conflict);
  EXPECT_TRUE(applied_plan({saved(), true}, now()));
}

TEST_F(PlanRequests, AStalePlanAndOneThatBreaksALawAreRefused) {
  SavedPlan plan = saved();
  plan.changes[0].yield = {0};
  EXPECT_NE(applied_plan({plan, false}, now()).error().message.find("yield"), std::string::npos);
  plan = saved();
  (void)scheduler_.round({}, {HoldChanged{{1}, true}});
  const auto stale = applied_plan({plan, false}, now());
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().kind, ErrorKind::conflict);
  EXPECT_NE(stale.error().message.find("waiting, held"), std::string::npos) << stale.error().message;
}

}  // namespace
}  // namespace aliquot
