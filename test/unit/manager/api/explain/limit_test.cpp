// Jobs that wait for a limit of their account, and those of accounts that reserve or limit yields: what
// `why` says of the limit, and what would change it.
#include "manager/core/account_yields.hpp"
#include "test/unit/manager/api/explain/situation.hpp"

namespace aliquot::test {
namespace {

Stage limited(const LimitWait& wait) {
  Stage stage = Stage("GREEDY").nodes(1).wait(2, small());
  stage.job(2).held = true;
  stage.record(2).deferral.limited = true;
  stage.record(2).deferral.limit = wait;
  return stage;
}

Submission of_web() {
  return with_account_yields(submission(1, 1000, 100), {Yield{600'000}, "web", kFullYield, ""});
}
Submission of_half() {
  return with_account_yields(submission(1, 2000, 100), {{}, "", Yield{500'000}, "half"});
}

const std::vector<Situation>& yields() {
  static const std::vector<Situation> all{
      {"a reservation that is not free",
       [] { return one_runs("GREEDY", of_web()).wait(2, of_web()); },
       2,
       {{"/reason", "min_yield"}}},
      {"a limit below what it declares",
       [] {
         return Stage("GREEDY").nodes(1).run(1, of_half(), {{{0}, 1}});
       },
       1,
       {{"/reason", "running_at_full_yield"}}},
  };
  return all;
}

const std::vector<Situation>& limits() {
  static const std::vector<Situation> all{
      {"of jobs, of the account",
       [] {
         return limited({"lab", {}, LimitKind::jobs, 4, 4, 1, {}});
       },
       2,
       {{"/reason", "account_limit"},
        {"/text",
         "It waits for a limit: account lab may have 4 jobs at a time, has 4 jobs, and this job asks for 1 "
         "job."},
        {"/remedies/0", "other jobs of the account end"},
        {"/remedies/1", "an operator raises the limit: `aliquot account set lab --jobs N`"}}},
      {"of cores, of each user",
       [] {
         return limited({"lab", 7, LimitKind::cpu, 2 * kMillion, kMillion, 2 * kMillion, {}});
       },
       2,
       {{"/reason", "account_limit"},
        {"/text",
         "It waits for a limit: user id 7 in account lab may have 2 cores at a time, has 1 core, and this "
         "job asks for 2 cores."},
        {"/remedies/1", "an operator raises the limit: `aliquot account set lab --user-cpu N`"}}},
      {"that was lowered below what it asks for",
       [] {
         return limited({"lab", {}, LimitKind::tasks, 2, 0, 4, {}});
       },
       2,
       {{"/remedies/0", "it is submitted anew, with 2 tasks at most"},
        {"/remedies/1", "an operator raises the limit: `aliquot account set lab --tasks N`"}}},
      {"of core-hours",
       [] {
         return limited({"lab", {}, LimitKind::core_hours, 5000, 5001, 0, {}});
       },
       2,
       {{"/text",
         "It waits for a limit: account lab may be served 5000 core-hours, and has been served 5001 "
         "core-hours."},
        {"/remedies/0",
         "time passes: what was served is forgotten by half in each half-life, where fair share is on"},
        {"/remedies/1", "an operator raises the limit: `aliquot account set lab --core-hours N`"}}},
      {"behind an earlier job that does not fit",
       [] {
         return limited({"lab", {}, LimitKind::memory, 4 << 20, 0, 1 << 20, JobId{1}});
       },
       2,
       {{"/text",
         "It waits for a limit: account lab may have 4 MiB of memory at a time, has 0 MiB of memory, and "
         "this job asks for 1 MiB of memory, behind job 1, which does not fit and came first."}}},
  };
  return all;
}

class WaitsForALimit : public testing::TestWithParam<Situation> {};
TEST_P(WaitsForALimit, NamesItAndWhatWouldChangeIt) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Why, WaitsForALimit, testing::ValuesIn(limits()),
                         [](const auto& one) { return "Limit" + std::to_string(one.index); });

class HasYieldsOfItsAccount : public testing::TestWithParam<Situation> {};
TEST_P(HasYieldsOfItsAccount, IsSaid) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Why, HasYieldsOfItsAccount, testing::ValuesIn(yields()),
                         [](const auto& one) { return "Yields" + std::to_string(one.index); });

TEST(YieldsOfAnAccount, AreNamedWithTheAccountAndTheFigures) {
  Stage waiting = one_runs("GREEDY", of_web()).wait(2, of_web());
  const auto reserved = waiting.why(2)["text"].get<std::string>();
  EXPECT_TRUE(reserved.ends_with(" Account web has a reservation (min yield) of 0.6 for each job."))
      << reserved;
  Stage running = Stage("GREEDY").nodes(1).run(1, of_half(), {{{0}, 1}});
  const auto limited = running.why(1)["text"].get<std::string>();
  EXPECT_TRUE(
      limited.ends_with(" Account half has a limit (max yield) of 0.5: it is counted with 1 core of the "
                        "2 cores that a task declares."))
      << limited;
}

}  // namespace
}  // namespace aliquot::test
