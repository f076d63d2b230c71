// Nodes of a whole manager that come, go and change their names while it runs; none of them ever answers.
#include <pwd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "test/unit/manager/running_daemon.hpp"

namespace aliquot::test {
namespace {

using nlohmann::json;

class ComingAndGoing : public testing::Test {
 protected:
  ComingAndGoing() {
    daemon_.settings.api.operators = {getpwuid(getuid())->pw_name};
    daemon_.start();
  }
  Reply reply(const Request& request) {
    RawClient client(daemon_.settings.api.socket);
    return client.ask(header("q"), request).reply;
  }
  std::string done(const Request& request) {
    const Reply answer = reply(request);
    return answer.error ? answer.error->message : "";
  }
  // "name:source ..." of all nodes.
  std::string nodes() {
    std::string all;
    const json answer = json::parse(reply(NodeList{}).body);
    for (const json& node : answer["nodes"])
      all += (all.empty() ? "" : " ") + node["node"].get<std::string>() + ":" +
             node["source"].get<std::string>();
    return all;
  }
  NodeSettings node(const std::string& name) {
    NodeSettings made = daemon_.settings.nodes.front();
    made.name = name;
    made.uri += "-" + name;
    return made;
  }
  static std::string by() { return "uid " + std::to_string(getuid()); }
  void restart() {
    daemon_.stop();
    daemon_.start();
  }

  TemporaryDirectory directory_;
  RunningDaemon daemon_{directory_};
};

TEST_F(ComingAndGoing, ANodeIsAddedByCommandAndStays) {
  EXPECT_EQ(done(NodeAdd{node("n2"), true}), "");
  EXPECT_EQ(nodes(), "absent:configuration") << "a dry run";
  EXPECT_EQ(done(NodeAdd{node("n2")}), "");
  EXPECT_EQ(nodes(), "absent:configuration n2:added by " + by());
  restart();
  EXPECT_EQ(nodes(), "absent:configuration n2:added by " + by());
  EXPECT_NE(done(NodeAdd{node("n2")}).find("already"), std::string::npos);
  NodeSettings same = node("n2");
  same.name = "n3";
  EXPECT_NE(done(NodeAdd{same}).find("that of node n2 already"), std::string::npos);
  daemon_.settings.nodes.push_back(node("n2"));
  daemon_.reload();
  EXPECT_EQ(nodes(), "absent:configuration n2:configuration") << "now the configuration says the same";
}

TEST_F(ComingAndGoing, ANodeDrawsWhatItsOwnSettingsSay) {
  const auto watts = [this] {
    std::string all;
    const json answer = json::parse(reply(NodeList{}).body);
    for (const json& node : answer["nodes"]) all += (all.empty() ? "" : " ") + node["watts"].dump();
    return all;
  };
  // By the next second at the latest, in which the meter is read.
  const auto draw_at_last = [&](const std::string& expected) {
    for (int turn = 0; turn < 100 && watts() != expected; ++turn)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return watts();
  };
  NodeSettings large = node("n2");
  large.idle_watts = power::watts(300);
  large.full_watts = power::watts(480);
  EXPECT_EQ(done(NodeAdd{large}), "");
  EXPECT_EQ(draw_at_last("95.0 300.0"), "95.0 300.0");
  restart();
  EXPECT_EQ(draw_at_last("95.0 300.0"), "95.0 300.0");
}

TEST_F(ComingAndGoing, AnEmptyNodeThatIsRemovedIsForgotten) {
  EXPECT_NE(done(NodeRemove{"absent"}).find("only one"), std::string::npos);
  EXPECT_EQ(done(NodeAdd{node("n2")}), "");
  EXPECT_EQ(done(NodeRemove{"absent", true}), "");
  EXPECT_EQ(done(NodeRemove{"absent"}), "");
  EXPECT_EQ(nodes(), "n2:added by " + by());
  daemon_.reload();
  EXPECT_EQ(nodes(), "n2:added by " + by()) << "though the configuration names it";
  restart();
  EXPECT_EQ(nodes(), "n2:added by " + by());
  EXPECT_NE(done(NodeShow{"absent"}).find("no node"), std::string::npos);
  EXPECT_NE(done(NodeRemove{"absent"}).find("there is no node `absent`"), std::string::npos);
  EXPECT_EQ(done(NodeAdd{daemon_.settings.nodes.front()}), "") << "the way back";
  EXPECT_EQ(nodes(), "absent:configuration n2:added by " + by());
}

TEST_F(ComingAndGoing, ARenamedNodeIsTheSameNode) {
  EXPECT_EQ(done(NodeRename{"absent", "away"}), "");
  const std::string renamed = "away:absent of the configuration, renamed by " + by();
  EXPECT_EQ(nodes(), renamed);
  restart();
  EXPECT_EQ(nodes(), renamed);
  EXPECT_NE(done(NodeRename{"away", "no name"}).find("does not belong"), std::string::npos);
  EXPECT_EQ(done(NodeRename{"away", "absent"}), "");
  EXPECT_EQ(nodes(), "absent:configuration");
}

TEST_F(ComingAndGoing, TheConfigurationAddsRemovesAndRenamesAtAReload) {
  daemon_.settings.nodes.front().name = "renamed";
  daemon_.settings.nodes.push_back(node("n2"));
  daemon_.reload();
  EXPECT_EQ(nodes(), "renamed:configuration n2:configuration");
  daemon_.settings.nodes.erase(daemon_.settings.nodes.begin());
  daemon_.settings.nodes.front().memory = mebibytes(4096 + 512);
  daemon_.reload();
  EXPECT_EQ(nodes(), "n2:configuration");
  const json shown = json::parse(reply(NodeShow{"n2"}).body);
  EXPECT_EQ(shown["memory_bytes"], mebibytes(4096).raw);
}

TEST_F(ComingAndGoing, OnlyOperatorsChangeNodes) {
  daemon_.stop();
  daemon_.settings.api.operators.clear();
  daemon_.start();
  for (const Request& request : std::vector<Request>{NodeAdd{node("n2")}, NodeRemove{"absent"},
                                                     NodeRename{"absent", "x"}, NodeAcceptHost{"absent"}})
    EXPECT_NE(done(request).find("only an operator"), std::string::npos);
  EXPECT_EQ(nodes(), "absent:configuration");
}

}  // namespace
}  // namespace aliquot::test
