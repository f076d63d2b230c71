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
