// Views and plans as text: exact both ways, lenient about what goes without saying, strict about the rest.
#include "tools/sim/view_json.hpp"

#include <gtest/gtest.h>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

constexpr const char* kNodes = R"("nodes":[{"capacity":4000000,"memory":8000000000}])";

std::string with_job(const std::string& job) {
  return R"({"now":5000000,)" + std::string(kNodes) + R"(,"jobs":[)" + job + "]}";
}
std::string why(const std::string& text) {
  const auto view = parse_view(text);
  return view ? "accepted" : view.error().message;
}

TEST(ViewJson, reads_back_what_it_wrote) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = view_json(test::random_view(seed));
    const auto view = parse_view(text);
    ASSERT_TRUE(view) << "seed " << seed << ": " << view.error().message;
    ASSERT_EQ(text, view_json(*view)) << "seed " << seed;
  }
}

TEST(ViewJson, fills_in_what_goes_without_saying) {
  const auto view = parse_view(with_job(R"({"id":3,"demand":{"tasks":2,"need":1000000,"memory":1},)"
                                        R"("placement":[{"node":0,"units":2}],"yield":500000})"));
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ("n0", view->nodes[0].name);
  EXPECT_TRUE(view->nodes[0].usable());
  const Job& job = view->jobs.at({3});
  EXPECT_EQ(Phase::running, job.phase);
  EXPECT_EQ(Instant{5'000'000}, job.submitted);
  EXPECT_EQ(Yield{500'000}, job.progress.rate);
  EXPECT_TRUE(job.demand.movable);
  EXPECT_FALSE(view->next_tick);
}

TEST(ViewJson, names_the_place_of_what_is_wrong) {
  EXPECT_EQ("the view is not JSON at byte 2 near `{`; send one JSON object", why("{"));
  EXPECT_EQ("the view is a JSON array; send an object, {...}", why("[]"));
  EXPECT_EQ("'now' is missing", why("{" + std::string(kNodes) + "}"));
  EXPECT_EQ("jobs[0].demand: 'need' is missing",
            why(with_job(R"({"id":3,"demand":{"tasks":2,"memory":1}})")));
  EXPECT_EQ("jobs[0].demand: unknown key 'mem'",
            why(with_job(R"({"id":3,"demand":{"tasks":2,"need":1,"memory":1,"mem":1}})")));
  EXPECT_EQ("job 3: demand.tasks: must be at least 1",
            why(with_job(R"({"id":3,"demand":{"tasks":0,"need":1,"memory":1}})")));
  EXPECT_EQ("job 3: placement: there is no node 7",
            why(with_job(R"({"id":3,"demand":{"tasks":1,"need":1,"memory":1},"yield":1,)"
                         R"("placement":[{"node":7,"units":1}]})")));
  EXPECT_EQ("job 3: placement: places 2 tasks of 1",
            why(with_job(R"({"id":3,"demand":{"tasks":1,"need":1,"memory":1},"yield":1,)"
                         R"("placement":[{"node":0,"units":2}]})")));
  EXPECT_EQ("job 3: tied_to: there is no node 7",
            why(with_job(R"({"id":3,"demand":{"tasks":1,"need":1,"memory":1},"phase":"paused",)"
                         R"("tied_to":[{"node":7,"units":1}]})")));
  EXPECT_EQ("job 3: tied_to: a job that is placed is not tied",
            why(with_job(R"({"id":3,"demand":{"tasks":1,"need":1,"memory":1},"yield":1,)"
                         R"("placement":[{"node":0,"units":1}],"tied_to":[{"node":0,"units":1}]})")));
  EXPECT_EQ("job 3: demand.memory: must be at most 1000000000000000",
            why(with_job(R"({"id":3,"demand":{"tasks":1,"need":1,"memory":1000000000000001}})")));
  EXPECT_EQ("cause.arrived[0]: there is no job 9",
            why(R"({"now":1,"cause":{"arrived":[9]},)" + std::string(kNodes) + "}"));
  EXPECT_EQ("the view has the field `now` twice; give it once",
            why(R"({"now":1,"now":2,)" + std::string(kNodes) + "}"));
}

TEST(ViewJson, names_the_place_of_what_is_wrong_with_nodes_that_close) {
  const auto closings = [](const std::string& all) {
    return why(R"({"now":1,)" + std::string(kNodes) + R"(,"closings":[)" + all + "]}");
  };
  EXPECT_EQ("accepted", closings(R"({"node":0,"from":5,"to":6})"));
  EXPECT_EQ("accepted", closings(R"({"node":0,"from":5})"));
  EXPECT_EQ("closings[0].node: must be at most 0", closings(R"({"node":1,"from":5,"to":6})"));
  EXPECT_EQ("closings[0].to: must be at least 5", closings(R"({"node":0,"from":5,"to":4})"));
  EXPECT_EQ("closings[1].node: increasing nodes, each once",
            closings(R"({"node":0,"from":5,"to":6},{"node":0,"from":7,"to":8})"));
}

TEST(ViewJson, refuses_sums_that_the_model_cannot_hold) {
  std::string jobs;
  for (int id = 1; id <= 20; ++id) {
    jobs += (id > 1 ? "," : "") + (R"({"id":)" + std::to_string(id)) +
            R"(,"demand":{"tasks":100000,"need":1,"memory":1000000000000000}})";
  }
  EXPECT_EQ("jobs: the memory of all tasks together: must be at most 1152921504606846976",
            why(with_job(jobs)));
}

TEST(ViewJson, a_plan_keeps_the_memory_it_does_not_name) {
  ClusterView view;
  view.memory.retries[{4}] = {2, Instant{7}};
  const auto silent = parse_plan(R"({"changes":[{"job":1}]})", view);
  ASSERT_TRUE(silent) << silent.error().message;
  EXPECT_EQ(view.memory, silent->memory);
  EXPECT_TRUE(silent->changes.at(0).placement.empty());
  EXPECT_TRUE(parse_plan(R"({"memory":{}})", view)->memory.retries.empty());
  Plan plan{{{{1}, {{{0}, 2}}, Yield{5}}}, view.memory, Instant{9}};
  EXPECT_EQ(plan, parse_plan(plan_json(plan), {}));
  EXPECT_EQ("changes[0]: 'job' is missing", parse_plan(R"({"changes":[{}]})", view).error().message);
}

}  // namespace
}  // namespace aliquot
