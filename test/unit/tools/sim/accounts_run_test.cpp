// The accounts of a site in a simulation: their file, and runs under their limits and yields.
#include <gtest/gtest.h>

#include <algorithm>

#include "test/unit/tools/sim/small_workload.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"
#include "tools/sim/site_accounts.hpp"

namespace aliquot {
namespace {

ClusterShape one_node() {
  ClusterShape shape;
  shape.nodes = 1;
  return shape;
}

// Jobs of 100 s and a quarter of a node, all submitted at once, of one user of an account.
Workload workload_of(std::uint64_t jobs, const std::string& account) {
  Workload workload;
  workload.accounts = {"", account};
  for (std::uint64_t id = 1; id <= jobs; ++id) {
    TraceJob job;
    job.id = {id};
    job.cpu_need = Decimal{kPico / 4};
    job.memory = Decimal{kPico / 10};
    job.runtime = seconds(100);
    workload.jobs.push_back(make_job(job, one_node()));
    workload.jobs.back().submission.account = 1;
    workload.jobs.back().submission.user = 7;
  }
  return workload;
}

// When the last of them has ended.
Instant last_end(const Workload& workload, std::vector<AccountTerms> accounts) {
  Collector seen;
  Simulation simulation(workload, one_node(), {}, *make_policy("DYNMCB8"), seen);
  simulation.set_accounts(std::move(accounts));
  const auto done = simulation.run();
  EXPECT_TRUE(done) << done.error().message;
  EXPECT_EQ(seen.ended.size(), workload.jobs.size());
  return seen.ended.empty() ? Instant{} : std::ranges::max(seen.ended, {}, &EndedJob::ended).ended;
}

std::vector<AccountTerms> accounts(const char* entry) {
  return parse_accounts("accounts: [" + std::string(entry) + "]", "a.yaml").value();
}

TEST(AccountsRun, ALimitOfJobsHoldsForTheAccount) {
  EXPECT_EQ(last_end(workload_of(4, "lab"), accounts("other jobs=1")), Instant{} + seconds(100));
  EXPECT_EQ(last_end(workload_of(4, "lab"), accounts("lab jobs=2")), Instant{} + seconds(200));
}

TEST(AccountsRun, ALimitOfEachUserKnowsTheUsersOfTheTrace) {
  Workload workload = workload_of(4, "lab");
  workload.jobs[0].submission.user = workload.jobs[1].submission.user = 8;
  EXPECT_EQ(last_end(workload, accounts("lab user.jobs=2")), Instant{} + seconds(100));
  EXPECT_EQ(last_end(workload, accounts("lab user.jobs=1")), Instant{} + seconds(200));
}

TEST(AccountsRun, YieldsHoldFromTheFirstJobOn) {
  EXPECT_EQ(last_end(workload_of(1, "lab"), accounts("lab max_yield=0.5")), Instant{} + seconds(200));
}

TEST(AccountsFile, IsTheConfigurationOrItsListAlone) {
  const auto found =
      parse_accounts("cluster: c\naccounts:\n  - lab jobs=3\n  - sub parent=lab\nnodes: []\n", "a.yaml");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[1].parent, "lab");
}

std::string refused(const char* text) {
  const auto found = parse_accounts(text, "a.yaml");
  return found ? "" : found.error().message;
}

TEST(AccountsFile, FaultsAreNamedByPlace) {
  EXPECT_NE(refused("nodes: []\n").find("a.yaml:1:1: accounts: the key is missing"), std::string::npos);
  EXPECT_NE(refused("accounts:\n  - lab jobs=many\n").find("a.yaml:2:5: accounts: "), std::string::npos);
  EXPECT_NE(refused("accounts: [lab parent=none]\n").find("a.yaml:1:1: accounts: "), std::string::npos);
  EXPECT_NE(refused("accounts: [lab core_hours=5]\n").find("which are not counted in a simulation"),
            std::string::npos);
}

TEST(AccountsLimits, AJobThatAManagerWouldRefuseIsNamed) {
  const Workload workload = workload_of(2, "lab");
  EXPECT_TRUE(check_limits(workload, accounts("lab cpu=1")));
  EXPECT_TRUE(check_limits(workload, accounts("lab cpu=0.5 max_yield=0.5"))) << "it counts with half";
  const auto refused = check_limits(workload, accounts("lab cpu=0.5"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("would refuse 2 of the 2 jobs"), std::string::npos);
  EXPECT_NE(refused.error().message.find("job 1: account lab may have 0.5 cores"), std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace aliquot
