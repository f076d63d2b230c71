// A situation on the stage and what `why` must say of it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <vector>

#include "test/unit/manager/api/explain/stage.hpp"

namespace aliquot::test {

using nlohmann::json;

struct Situation {
  const char* name;
  std::function<Stage()> stage;
  std::uint64_t job;
  // What the answer must contain: by JSON pointer.
  std::vector<std::pair<const char*, json>> figures;
};

inline void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.name; }

inline Submission small() { return submission(1, 1000, 400); }  // fits twice into a node's memory
inline Submission large() { return submission(1, 1000, 800); }  // once

inline Submission gpu_job() {
  Submission what = submission(1, 1000, 100);
  what.demand.devices.per_node = 1;
  what.demand.movable = false;
  what.demand.min_yield = kFullYield;
  return what;
}

inline Stage with_gpu(const char* policy) {
  Stage stage(policy);
  stage.nodes(1, 4);
  stage.state.view.device_models = {"V100"};
  stage.state.view.nodes[0].devices = {{{0}, kWholeDevice}};
  return stage;
}

inline Stage one_runs(const char* policy, const Submission& what) {
  return Stage(policy).nodes(1).run(1, what, {{{0}, 1}});
}

// Every figure, and what every answer must have.
inline void check(const Situation& situation) {
  Stage stage = situation.stage();
  const json answer = stage.why(situation.job);
  ASSERT_TRUE(answer.is_object()) << answer;
  for (const auto& [pointer, wanted] : situation.figures) {
    const json::json_pointer at(pointer);
    ASSERT_TRUE(answer.contains(at)) << pointer << " of " << answer.dump(2);
    EXPECT_EQ(answer[at], wanted) << pointer << " of " << answer.dump(2);
  }
  EXPECT_NE(answer["text"], "");
  EXPECT_NE(answer["expected"]["text"], "");
  if (answer["reason"] != "running_at_full_yield") {
    EXPECT_FALSE(answer["remedies"].empty());
  }
  // Kinds count every node of the cluster once, or every node that the job stands on.
  std::size_t counted = 0;
  for (const json& kind : answer["kinds"]) {
    std::size_t of_kind = 0;
    for (const json& reason : kind["reasons"]) of_kind += reason["nodes"].get<std::size_t>();
    EXPECT_EQ(of_kind, kind["nodes"].get<std::size_t>()) << answer["kinds"];
    counted += of_kind;
  }
  const auto job = stage.state.view.jobs.find({situation.job});
  if (job != stage.state.view.jobs.end()) {
    const auto& placement = job->second.placement;
    EXPECT_EQ(counted, placement.empty() ? stage.state.view.nodes.size() : placement.size());
  }
}

}  // namespace aliquot::test
