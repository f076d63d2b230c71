// Jobs that wait for a limit of their account: what `why` says of the limit, and what would change it.
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

}  // namespace
}  // namespace aliquot::test
