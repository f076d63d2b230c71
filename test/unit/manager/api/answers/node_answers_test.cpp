// What is told of nodes that do not answer, before and while something is done about them.
#include "manager/api/answers/node_answers.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "manager/api/answers/cluster_answers.hpp"
#include "test/support/json_form.hpp"
#include "test/unit/manager/api/explain/situation.hpp"

namespace aliquot::test {
namespace {

Stage dead_node() {
  Submission again = small();
  again.requeue = 2;
  Stage stage("DYNMCB8");
  stage.nodes(2, 4).run(1, again, {{{0}, 1}}).run(2, small(), {{{0}, 1}}).run(3, small(), {{{1}, 1}});
  stage.state.view.nodes[0].state = NodeState::down;
  stage.state.node_records[{0}] = {kStageNow - seconds(90), "connection refused"};
  return stage;
}

TEST(NodeAnswers, TellWhatBecomesOfEachJobOfADeadNode) {
  Stage stage = dead_node();
  stage.record(2).leaving = stage.job(2);
  const auto fates = fates_on(stage.state, {0});
  ASSERT_EQ(fates.size(), 2U) << "job 3 is elsewhere";
  EXPECT_EQ(fates[0].what, "rerun");
  EXPECT_EQ(fates[0].text, "it starts anew from the beginning (rerun 1 of 2)");
  EXPECT_EQ(fates[1].what, "end");
  stage.record(2).leaving.reset();
  stage.record(1).reruns = 2;
  EXPECT_EQ(fates_on(stage.state, {0})[0].what, "fail");
  EXPECT_EQ(fates_on(stage.state, {0})[1].what, "fail");
  stage.record(1).vms[0].has_run = false;
  EXPECT_EQ(fates_on(stage.state, {0})[0].what, "wait");
  const json answer = test::in_form("node.confirm_down", confirm_down_answer(stage.state, {0}, true));
  EXPECT_EQ(answer["dry_run"], true);
  EXPECT_EQ(answer["jobs"][1]["job"], 2);
}

TEST(NodeAnswers, RefuseToConfirmANodeThatAnswersOrIsConfirmed) {
  Stage stage = dead_node();
  EXPECT_TRUE(can_confirm_down(stage.state, {0}, false));
  EXPECT_FALSE(can_confirm_down(stage.state, {0}, true)) << "VMs of another cluster run there";
  const auto up = can_confirm_down(stage.state, {1}, false);
  ASSERT_FALSE(up);
  EXPECT_EQ(up.error().kind, ErrorKind::conflict);
  EXPECT_NE(up.error().message.find("answers"), std::string::npos);
  stage.state.view.nodes[0].state = NodeState::fenced;
  stage.state.node_records[{0}].why = "confirmed down by uid 0";
  EXPECT_EQ(can_confirm_down(stage.state, {0}, false).error().message,
            "node n0 is confirmed down by uid 0");
}

TEST(NodeAnswers, TellTheNextMaintenanceWindowOfANodeUntilItsDrainBegins) {
  Stage stage = Stage("GREEDY").nodes(2);
  const Instant later = kStageNow + seconds(300);
  stage.state.windows = {{"disks", {{0}}, later, later + seconds(60), seconds(40)},
                         {"ram", {{0}}, later - seconds(200), later - seconds(100), seconds(40)}};
  const auto rows = [&] {
    return test::in_form("node.list", node_list_answer(stage.state, {kStageNow, Calendar(0)}))["nodes"];
  };
  const json next = rows()[0]["next_window"];
  EXPECT_EQ(next["name"], "ram");
  EXPECT_EQ(next["drained_from"], "1970-01-01T00:02:40.000Z");
  EXPECT_EQ(next["from"], "1970-01-01T00:03:20.000Z");
  EXPECT_EQ(next["to"], "1970-01-01T00:05:00.000Z");
  EXPECT_FALSE(rows()[1].contains("next_window"));
  stage.state.windows[1].begun = true;
  EXPECT_EQ(rows()[0]["next_window"]["name"], "disks");
}

TEST(NodeAnswers, TellSinceWhenANodeIsSilentAndHowADrainGoes) {
  Stage stage = dead_node();
  stage.state.view.nodes[1].service = NodeService::draining;
  stage.state.node_records[{1}].drain = Drain{DrainMode::save, {}, {}, "uid 0"};
  const json nodes =
      test::in_form("node.list", node_list_answer(stage.state, {kStageNow, Calendar(0)}))["nodes"];
  EXPECT_EQ(nodes[0]["state"], "down");
  EXPECT_EQ(nodes[0]["silent_s"], 90.0);
  EXPECT_EQ(nodes[0]["why"], "connection refused");
  EXPECT_EQ(nodes[0]["drain"], nullptr);
  EXPECT_EQ(nodes[1]["state"], "up");
  EXPECT_EQ(nodes[1]["silent_s"], nullptr);
  EXPECT_EQ(nodes[1]["service"], "draining");
  EXPECT_EQ(nodes[1]["drain"]["mode"], "save");
  EXPECT_EQ(nodes[1]["drain"]["vms_left"], 1);
  EXPECT_EQ(nodes[1]["drain"]["then"], "save");
  EXPECT_EQ(nodes[1]["drain"]["progress"], "under_way");
  const auto show = node_show_answer(stage.state, "n1", {}, {kStageNow, Calendar(0)}, {}, {},
                                     {{{1}, "stay", "it is not movable"}});
  EXPECT_EQ(json::parse(*show)["drain"]["jobs"][0]["text"], "it is not movable");
}

}  // namespace
}  // namespace aliquot::test
