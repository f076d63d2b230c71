#include "tools/sim/exec/exec_policy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "test/support/random_view.hpp"
#include "tools/sim/view_json.hpp"

namespace aliquot {
namespace {

using std::chrono::milliseconds;

ClusterView some_view() { return test::random_view(7); }

std::string complaint(const std::string& command, ExecBounds bounds = {}) {
  const auto policy = ExecPolicy::start(command, bounds);
  if (!policy) return policy.error().message;
  const auto done = run_guarded([&]() -> Result<void> {
    (void)(*policy)->decide(some_view());
    (void)(*policy)->decide(some_view());
    return {};
  });
  return done ? "no complaint" : done.error().message;
}

TEST(ExecPolicy, hands_over_the_view_and_takes_the_plan) {
  // It remembers what it was handed, which must be a view that reads back equal.
  const std::string script =
      "while read -r line; do echo \"$line\" > \"$SEEN\"; echo '{\"changes\": [], \"wake_at\": 99, "
      "\"memory\": {\"note\": \"mine\"}}'; done";
  const std::string file = testing::TempDir() + "exec_policy_seen_" + std::to_string(getpid());
  const auto policy = ExecPolicy::start("SEEN='" + file + "'; " + script);
  ASSERT_TRUE(policy);
  const Plan plan = (*policy)->decide(some_view());
  EXPECT_EQ(Instant{99}, plan.wake_at);
  EXPECT_EQ("mine", encode_policy_state(plan.memory.state));
  EXPECT_TRUE(plan.changes.empty());
  EXPECT_EQ("exec:SEEN='" + file + "'; " + script, (*policy)->name());
  FILE* seen = fopen(file.c_str(), "r");
  ASSERT_TRUE(seen);
  std::string text(1 << 20, '\0');
  text.resize(fread(text.data(), 1, text.size(), seen));
  fclose(seen);
  remove(file.c_str());
  EXPECT_EQ(view_json(some_view()) + "\n", text);
}

TEST(ExecPolicy, a_silent_program_is_given_up) {
  ExecBounds bounds;
  bounds.answer_within = milliseconds(50);
  EXPECT_NE(std::string::npos, complaint("sleep 1000", bounds).find("it has not answered in time"));
}

TEST(ExecPolicy, an_endless_answer_is_cut_off) {
  ExecBounds bounds;
  bounds.longest_answer = 100'000;
  EXPECT_NE(std::string::npos, complaint("yes | tr -d '\\n'", bounds).find("longer than 100000 bytes"));
}

TEST(ExecPolicy, a_program_that_ends_is_noticed_and_the_decision_named) {
  const std::string text = complaint("head -n 1 > /dev/null; echo '{}'");
  EXPECT_NE(std::string::npos, text.find("decision 2, at ")) << text;
  EXPECT_NE(std::string::npos, text.find("it ended with exit status 0")) << text;
}

TEST(ExecPolicy, only_the_simulator_knows_the_word) {
  EXPECT_TRUE(make_simulated_policy("exec:cat"));
  EXPECT_TRUE(make_simulated_policy("EASY"));
  EXPECT_FALSE(make_simulated_policy("exec:"));
  EXPECT_FALSE(make_policy("exec:cat"));
}

}  // namespace
}  // namespace aliquot
