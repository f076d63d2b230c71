// The verbs of operators about plans and nodes.
#include "test/unit/tools/ctl/running_program.hpp"

namespace aliquot {
namespace {

using nlohmann::json;

class OperatorVerbs : public test::RunningProgram {
 protected:
  void SetUp() override {
    if (getuid() != 0) GTEST_SKIP() << "operators only";
  }
};

TEST_F(OperatorVerbs, SaysWhatBecomesOfTheRestAtTheDeadlineOfADrain) {
  EXPECT_EQ(answer("node drain n0 --deadline 2h --dry-run")["then"], "save");
  EXPECT_EQ(answer("node drain n0 --deadline 2h --then stay --dry-run")["then"], "stay");
  fails("node drain n0 --then stay", 2, "--deadline");
}

TEST_F(OperatorVerbs, AnnouncesADrain) {
  EXPECT_EQ(run("node drain n0 --at now+2h").out.rfind("node n0 is to be drained from 2023-11-", 0), 0U);
  fails("node drain n0 --at soon", 2, "--at: ");
}

TEST_F(OperatorVerbs, PlansMaintenance) {
  EXPECT_EQ(
      run("maintenance add ram --nodes n0 --from now+1h --to now+2h").out,
      "planned: ram of n0\n"
      "drained from  2023-11-14T22:24:00.000Z (migrate; what is left at 2023-11-14T22:24:30.000Z: save)\n"
      "empty from    2023-11-14T22:25:00.000Z\n"
      "in service at 2023-11-14T22:35:00.000Z\n");
  EXPECT_EQ(run("maintenance add ram --nodes n0 --from now+1h --to now+2h --dry-run")
                .out.rfind("would be planned: ram of n0\n", 0),
            0U);
  fails("maintenance add ram --nodes n0 --from soon --to now+2h", 2, "--from: ");
  fails("maintenance add ram --nodes n0 --from now+1h --to later", 2, "--to: ");
  fails("maintenance add ram --nodes n0 --from now+1h --to now+2h --lead long", 2, "--lead: ");
  fails("maintenance add ram --from now+1h --to now+2h", 2, "--nodes");
  fails("maintenance add ram --nodes n0 --from now+1h --to now+2h --mode wait", 2, "wait");
  fails("maintenance add 'a b' --nodes n0 --from now+1h --to now+2h", 2, "no name of a window");
  const std::string listed = run("maintenance list").out;
  EXPECT_NE(listed.find("ram   planned  2023-11-14T22:24:00.000Z"), std::string::npos) << listed;
  EXPECT_EQ(run("maintenance remove ram").out, "maintenance window ram is removed; back in service: n0\n");
  fails("maintenance remove rom", 3, "did you mean `ram`?");
}

TEST_F(OperatorVerbs, SaysWhichManagerLeadsAndHowEtcdIs) {
  EXPECT_EQ(run("ha status").out,
            "a leads, epoch 7, since 2026-11-29T08:00:00.000Z\n"
            "\n"
            "MANAGER  ROLE     STATE  BEHIND  ADDRESS\n"
            "a        leader   -           0  tcp://a:7447\n"
            "b        standby  hot         3  tcp://b:7447\n"
            "\n"
            "ETCD                   VERSION  DATABASE  STATE\n"
            "http://127.0.0.1:2379  3.4.23        20K  leads\n"
            "http://127.0.0.1:2479  -               -  it is away\n");
  EXPECT_EQ(run("ha step-down").out, "a steps down; `aliquot ha status` shows which one leads then\n");
}

TEST_F(OperatorVerbs, SetsAMessageThatListAndSubmitShowOnce) {
  EXPECT_EQ(run("motd show").out, "there is no message of the day\n");
  EXPECT_EQ(run("motd set 'down at 18:00'").out,
            "down at 18:00\n(set by uid 0 at 2023-11-14T22:15:00.000Z)\n");
  const auto first = run("list");
  EXPECT_NE(first.words.find("message of the day: down at 18:00\n"), std::string::npos) << first.words;
  EXPECT_EQ(run("list").words.find("message of the day"), std::string::npos);
  EXPECT_EQ(answer("list")["motd"], "down at 18:00");
  run("motd set 'down at 19:00'");
  EXPECT_NE(run("submit -- true").words.find("message of the day: down at 19:00\n"), std::string::npos);
  EXPECT_NE(run("status").out.find("motd    down at 19:00\n"), std::string::npos);
  fails("motd set ''", 2, "text");
  EXPECT_EQ(run("motd clear").out, "there is no message of the day\n");
  EXPECT_EQ(answer("list").contains("motd"), false);
}

TEST_F(OperatorVerbs, SavesAPlanAndAppliesItUnlessItIsStale) {
  const std::string file = manager_.directory() + "/plan.json";
  EXPECT_NE(run("plan --what-if node-down=n1")
                .out.find("what if node-down=n1:\n\n"
                          "of the jobs on nodes that are down:\n"
                          "JOB  NAME   WHAT   WHY\n"
                          "  1  chain  rerun  it starts anew\n"),
            std::string::npos)
      << run("plan --what-if node-down=n1").out;
  EXPECT_NE(run("plan --save " + file).out.find("carry it out with: aliquot plan --apply " + file),
            std::string::npos);
  EXPECT_EQ(run("plan --apply " + file + " --dry-run").out.rfind("would be carried out:\n", 0), 0U);
  EXPECT_EQ(run("plan --apply " + file).out.rfind("is carried out:\nCHANGE", 0), 0U);
  std::ifstream in(file);
  json saved = json::parse(in);
  saved["saved"]["jobs"][0]["facts"] = "waiting";
  std::ofstream(file) << saved;
  fails("plan --apply " + file, 5, "the plan is stale");
  saved["saved"]["changes"][0]["job"] = -1;
  std::ofstream(file) << saved;
  fails("plan --apply " + file, 2, "saved.changes[0].job");
  std::ofstream(file) << "{}";
  fails("plan --apply " + file, 2, "has no saved plan");
  fails("plan --apply " + file + ".none", 2, "cannot be read");
  fails("plan --save " + manager_.directory() + "/no/such", 6, "cannot write");
  fails("plan --dry-run", 2, "--apply");
  fails("plan --apply " + file + " --save x", 2, "--save");
}

TEST_F(OperatorVerbs, MaintenanceStopsWhereANodeIsNotDrained) {
  fails("node maintain n0", 2, "--command COMMAND, or --pause");
  fails("node maintain n0 --pause --command true", 2, "--pause");
  fails("node maintain n0 --pause --then stay", 2, "--deadline");
  fails("node maintain n0 --pause --deadline soon", 2, "--deadline");
  fails("node maintain n7 --pause", 3, "n7");
  fails("node maintain n0 n1 --pause", 5, "node n0 was put back into service");
}

}  // namespace
}  // namespace aliquot
