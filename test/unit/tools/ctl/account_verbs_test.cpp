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

TEST_F(AccountVerbs, UsageOfASpanIsToldByAccountAndByUser) {
  const std::string span = "usage --start 2023-11-14T00:00Z --end 2023-11-15T00:00Z";
  EXPECT_EQ(run(span).out,
            "ACCOUNT  GRANTED  USED\n"
            "(none)      1.00  0.50\n"
            "lab         2.25  1.01\n"
            "core-hours from 2023-11-14T00:00:00.000Z to 2023-11-14T22:15:00.000Z\n");
  EXPECT_EQ(run(span + " --by user -o csv").out,
            "account,uid,user,granted_core_s,used_core_s\n"
            ",0,root,3600.000000,1800.000000\n"
            "lab,0,root,7200.000000,3600.000000\n"
            "lab,4711,4711,900.000001,36.000000\n");
  EXPECT_EQ(run(span + " -o csv").out,
            "account,uid,user,granted_core_s,used_core_s\n"
            ",,,3600.000000,1800.000000\n"
            "lab,,,8100.000001,3636.000000\n");
  EXPECT_EQ(run(span + " --by user").out.substr(0, 33), "ACCOUNT  USER  GRANTED  USED\n(non");
  EXPECT_EQ(answer("usage --by user")["usage"].size(), 3U) << "from the first of the month up to now";
  fails("usage --start 2023-11-14T08:30Z", 2, "write 2023-11-14T08:00Z or 2023-11-14T09:00Z");
  fails("usage --start soon", 2, "--start: \"soon\" is no time");
  fails("usage --start 2023-11-14T08:00Z --end 2023-11-14T08:00Z", 2, "earlier --start");
  fails("usage --start 2020-01-01T00:00Z --end 2023-01-01T00:00Z", 2, "366 days");
  fails("usage 1 --by user", 2, "--by");
  fails("usage --by week", 2, "--by");
  fails("accounts -o csv", 2, "no CSV");
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
