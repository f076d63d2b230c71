// The verbs about what was learned of applications and of run times.
#include "test/unit/tools/ctl/running_program.hpp"

namespace aliquot {
namespace {

class LearningVerbs : public test::RunningProgram {};

TEST_F(LearningVerbs, ListsExportsImportsAndForgetsWhatIsKnown) {
  EXPECT_EQ(run("knowledge list").out,
            "APPLICATION  SIZE  ITERATIONS  TASKS   TIME  MEMORY\n"
            "cfd          1000          50      6  1m30s    256M\n");
  const std::string file = manager_.directory() + "/cfd.csv";
  EXPECT_EQ(run("knowledge export --to " + file).out, "wrote " + file + "\n");
  EXPECT_EQ(run("knowledge import " + file).out,
            "took in 1 entries; 0 were not better than what is known\n");
  EXPECT_EQ(run("knowledge forget cfd --problem-size 1000").out, "forgot 1 entries of cfd\n");
  std::ofstream(file) << "application,problem_size\n";
  fails("knowledge import " + file, 2, "line 1: give the header");
  fails("knowledge import " + manager_.directory() + "/none.csv", 2, "none.csv");
}

TEST_F(LearningVerbs, ListsExportsImportsAndForgetsRunTimes) {
  const std::string listed = run("predictions list").out;
  EXPECT_EQ(listed.substr(0, listed.find('\n')),
            "CLASS              ACCOUNT   UID  APPLICATION  TASKS  ASKED  RUNS  SHORTEST   MEAN  LONGEST");
  EXPECT_NE(listed.find("physics  1000  cfd              6  1h00m     2     1m30s  2m00s    2m30s"),
            std::string::npos)
      << listed;
  const std::string file = manager_.directory() + "/run_times.csv";
  EXPECT_EQ(run("predictions export --to " + file).out, "wrote " + file + "\n");
  EXPECT_EQ(run("predictions import " + file).out, "took in 7 classes of jobs\n");
  EXPECT_EQ(run("predictions forget 1000").out, "forgot 3 classes of jobs of user id 1000\n");
  std::ofstream(file) << "level\n";
  fails("predictions import " + file, 2, "line 1: give the header");
  fails("predictions forget root", 2, "UID");
}

}  // namespace
}  // namespace aliquot
