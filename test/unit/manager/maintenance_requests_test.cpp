#include "manager/maintenance_requests.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "manager/core/maintenance_windows.hpp"
#include "manager/node_requests.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using nlohmann::json;
using test::node;

constexpr std::int64_t kSecond = kMillion;

// The nodes n0 to n2; Instants are seconds of 1970.
class MaintenanceRequests : public testing::Test {
 protected:
  [[nodiscard]] AnswerClock clock() const {
    return AnswerClock{scheduler_.cluster().view().now, Calendar(std::int64_t{0})};
  }
  // What it answers; the message, if it is refused. Its events are those of the next step.
  json ask(const Request& request) {
    auto answered = maintenance_change(request, {scheduler_, input_, clock(), 7});
    if (!answered) return answered.error().message;
    EXPECT_EQ(answered->changes, !answered->events.empty());
    for (Event& event : answered->events) input_.events.push_back(std::move(event));
    return json::parse(answered->body);
  }
  json add(MaintenanceAdd request) { return ask(request); }
  json change_node(const Request& request) {
    auto changed = change_of_node(request, {scheduler_, input_.events, held_, clock(), 7, {}});
    if (!changed) return changed.error().message;
    for (Event& event : changed->events) input_.events.push_back(std::move(event));
    return json::parse(changed->body);
  }
  void step(std::int64_t second) {
    (void)scheduler_.round(Instant{second * kSecond}, std::exchange(input_.events, {}));
  }
  [[nodiscard]] static MaintenanceAdd window(const std::string& name = "ram",
                                             std::vector<std::string> nodes = {"n1", "n0", "n1"}) {
    MaintenanceAdd add{name, std::move(nodes), 1000 * kSecond, 2000 * kSecond, seconds(100)};
    return add;
  }
  [[nodiscard]] const CoreState& state() const { return scheduler_.cluster().state(); }

  Scheduler scheduler_{Cluster({node(0), node(1), node(2)}), make_policy("FCFS").value()};
  StepInput input_;
  std::function<bool(NodeId)> held_ = [](NodeId) { return false; };
};

TEST_F(MaintenanceRequests, AWindowIsPlannedAndListed) {
  const json answer = add(window());
  EXPECT_EQ(answer["nodes"], json::array({"n0", "n1"}));
  EXPECT_EQ(answer["drained_from"], "1970-01-01T00:15:00.000Z");
  EXPECT_EQ(answer["deadline"], "1970-01-01T00:15:50.000Z");
  EXPECT_EQ(answer["from"], "1970-01-01T00:16:40.000Z");
  EXPECT_EQ(answer["by"], "uid 7");
  EXPECT_EQ(answer["dry_run"], false);
  step(1);
  const auto stage = [&] { return ask(MaintenanceList{})["windows"][0]["stage"]; };
  EXPECT_EQ(stage(), "planned");
  step(900);
  EXPECT_EQ(stage(), "draining");
  step(1000);
  EXPECT_EQ(stage(), "under_way");
  step(2000);
  EXPECT_EQ(ask(MaintenanceList{})["windows"], json::array());
}

TEST_F(MaintenanceRequests, ADryRunPlansNothing) {
  MaintenanceAdd request = window();
  request.dry_run = true;
  EXPECT_EQ(add(request)["dry_run"], true);
  EXPECT_TRUE(input_.events.empty());
}

TEST_F(MaintenanceRequests, AWindowThatStartsSoonHasTheTimeThatIsLeft) {
  step(960);
  const json answer = add(window());
  EXPECT_EQ(answer["drained_from"], "1970-01-01T00:16:00.000Z");
  EXPECT_EQ(answer["deadline"], "1970-01-01T00:16:20.000Z");
  step(960);
  step(960);
  EXPECT_EQ(state().view.nodes[0].service, NodeService::draining);
}

TEST_F(MaintenanceRequests, AWindowThatCannotBeIsRefused) {
  EXPECT_NE(add(window("ram", {"n0", "n9"})).get<std::string>().find("there is no node"),
            std::string::npos);
  MaintenanceAdd backwards = window();
  backwards.to_unix_us = backwards.from_unix_us;
  EXPECT_NE(add(backwards).get<std::string>().find("ends before it starts"), std::string::npos);
  step(2000);
  EXPECT_NE(add(window()).get<std::string>().find("is over already"), std::string::npos);
  EXPECT_TRUE(input_.events.empty());
}

TEST_F(MaintenanceRequests, TwoWindowsDoNotShareANode) {
  add(window());
  EXPECT_NE(add(window("disks", {"n1"})).get<std::string>().find("maintenance window ram has node n1"),
            std::string::npos)
      << "it is not known before the step";
  step(1);
  EXPECT_NE(add(window("disks", {"n1"})).get<std::string>().find("has node n1"), std::string::npos);
  EXPECT_NE(add(window()).get<std::string>().find("there is a maintenance window ram already"),
            std::string::npos);
  MaintenanceAdd before = window("disks", {"n1"});
  before.from_unix_us = 800 * kSecond;
  before.to_unix_us = 950 * kSecond;
  EXPECT_NE(add(before).get<std::string>().find("its drain included"), std::string::npos);
  before.to_unix_us = 900 * kSecond;
  EXPECT_TRUE(add(before).is_object());
  EXPECT_TRUE(add(window("fans", {"n2"})).is_object());
}

TEST_F(MaintenanceRequests, AWindowThatIsRemovedGivesItsNodesBack) {
  add(window());
  step(1);
  EXPECT_NE(ask(MaintenanceRemove{"rom"}).get<std::string>().find("did you mean `ram`"), std::string::npos);
  step(1000);
  EXPECT_EQ(ask(MaintenanceRemove{"ram"})["nodes"], json::array({"n0", "n1"}));
  step(1001);
  EXPECT_EQ(state().view.nodes[0].service, NodeService::in_service);
  EXPECT_TRUE(state().windows.empty());
}

TEST_F(MaintenanceRequests, ADrainIsAnnouncedAndWithdrawn) {
  NodeDrain drain{"n2", DrainMode::save, seconds(50)};
  drain.at_unix_us = 100 * kSecond;
  const json answer = change_node(drain);
  EXPECT_EQ(answer["at"], "1970-01-01T00:01:40.000Z");
  EXPECT_EQ(answer["deadline"], "1970-01-01T00:02:30.000Z");
  step(1);
  EXPECT_EQ(state().view.nodes[2].service, NodeService::in_service);
  EXPECT_EQ(state().announced.at({2}).by, "uid 7");
  EXPECT_TRUE(change_node(NodeResume{"n2"}).is_object());
  step(2);
  EXPECT_TRUE(state().announced.empty());
  EXPECT_EQ(change_node(NodeResume{"n2"}), "node n2 is not being drained");
}

TEST_F(MaintenanceRequests, OfANodeThatIsDrainedNoDrainIsAnnounced) {
  (void)change_node(NodeDrain{"n2", DrainMode::wait, {}});
  step(1);
  NodeDrain drain{"n2", DrainMode::save, {}};
  drain.at_unix_us = 100 * kSecond;
  EXPECT_EQ(change_node(drain), "node n2 is being drained already; resume it first");
}

TEST_F(MaintenanceRequests, AMessageIsSetShownAndCleared) {
  EXPECT_EQ(ask(MotdShow{})["text"], nullptr);
  EXPECT_EQ(ask(MotdSet{"all well"})["by_uid"], 7);
  step(5);
  EXPECT_EQ(ask(MotdShow{})["since"], "1970-01-01T00:00:05.000Z");
  EXPECT_EQ(ask(MotdClear{})["text"], nullptr);
  step(6);
  EXPECT_EQ(ask(MotdShow{})["text"], nullptr);
}

}  // namespace
}  // namespace aliquot
