// account list, show, set and reset.
#include "test/unit/tools/ctl/running_program.hpp"

namespace aliquot {
namespace {

class AccountVerbs : public test::RunningProgram {};

TEST_F(AccountVerbs, ListTheTreeWithWhatIsUsedOfSharesAndLimits) {
  EXPECT_EQ(run("account list").out,
            "ACCOUNT   USER  SHARES  ENTITLED   USED  RATIO  WEIGHT  JOBS  LIMITS\n"
            "guests               1      0.50  1m40s   0.50             2\n"
            "  guests  root       1      0.50  1m40s   0.50    2.00     2\n"
            "physics              3      0.50  5m00s   1.50             1  cpu 2.5 of 8\n"
            "  lab                1      0.50  5m00s   1.50             1  jobs 1 of 4; each user: jobs 2\n"
            "    lab   root       1      0.50  5m00s   1.50    0.50     1  jobs 1 of 2\n"
            "half-life 1h00m\n");
  EXPECT_EQ(run("account list -o name").out, "guests\nlab\nphysics\n");
  const std::string one = run("account show lab").out;
  EXPECT_EQ(one.find("guests"), std::string::npos) << one;
  EXPECT_EQ(one.find("physics"), std::string::npos) << one;
  EXPECT_NE(one.find("jobs 1 of 4"), std::string::npos) << one;
  fails("account show nowhere", 3, "no account");
}

TEST_F(AccountVerbs, SetAndResetSharesParentsAndLimits) {
  if (getuid() != 0) GTEST_SKIP() << "only operators may set accounts";
  EXPECT_EQ(run("account set lab --shares 2 --jobs none --memory 1GiB --user-cpu 1.5").out,
            "account lab below physics: 2 shares; memory 1GiB; each user: jobs 2, cpu 1.5; "
            "`aliquot account reset lab` goes back to the configuration\n");
  EXPECT_EQ(run("account reset lab").out, "account lab has no shares and no limits of its own any more\n");
  fails("account set lab", 2, "give --shares");
  fails("account set lab --memory 1G", 2, "1G");
  fails("account set lab --parent nowhere", 2, "there is no such account");
  fails("account set physics --parent lab", 2, "below itself");
  fails("account reset physics", 5, "as the configuration says");
  fails("account reset nowhere", 3, "nowhere");
}

}  // namespace
}  // namespace aliquot
