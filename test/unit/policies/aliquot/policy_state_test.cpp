#include "policies/aliquot/policy_state.hpp"

#include <gtest/gtest.h>

#include "policies/aliquot/planning_state.hpp"
#include "policies/policy.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

const JobsAtIssue kAll = JobsAtIssue::all();

AliquotState some_state(Instant now) {
  AliquotState state;
  state.tokens = 12;
  state.last_rebalance = now - seconds(20);
  state.rebalance_deferred = true;
  state.last_repack = now - seconds(30);
  state.stalled_until[{3}] = now + seconds(5);
  state.displaced[{3}] = {Displacement::By::rebalancing, {7}, 512, 310};
  state.displaced[{7}] = {Displacement::By::admission, {3}, 250, 100};
  return state;
}

// What the next decision hands on if it changes nothing.
AliquotState after(test::SmallView& small, const std::shared_ptr<const PolicyState>& state) {
  small.view.memory.state = state;
  const AliquotSpec spec;
  const PolicyMemory memory = PlanningState(small.view, spec, kAll).take_memory();
  return *memory.state_as<AliquotState>();
}
AliquotState after(test::SmallView& small, const AliquotState& state) {
  return after(small, std::make_shared<AliquotState>(state));
}

TEST(AliquotState, what_is_encoded_is_decoded) {
  const AliquotState state = some_state(Instant{100'000'000});
  EXPECT_EQ(state.encode(), "aliquot 12 -80000001 70000000 1 3 105000000 3 2 7 512 310 7 0 3 250 100");
  const auto decoded = decode_policy_state(state.encode());
  const auto* const same = dynamic_cast<const AliquotState*>(decoded.get());
  ASSERT_NE(nullptr, same);
  EXPECT_EQ(state, *same);
}

TEST(AliquotState, what_a_view_remembers_is_handed_to_the_next_decision) {
  test::SmallView small(1);
  small.running(3, {{{0}, 1}}, 10, 10);
  small.paused(7, 1, 10, 10);
  const AliquotState state = some_state(small.view.now);
  EXPECT_EQ(state, after(small, state));
}

// However it was written: the next rebalance would be too late for an instant to say.
TEST(AliquotState, no_rebalance_was_made_after_now) {
  test::SmallView small(1);
  AliquotState state;
  state.last_rebalance = {INT64_MAX};
  EXPECT_EQ(small.view.now, after(small, state).last_rebalance);
}

TEST(AliquotState, a_policy_that_remembers_nothing_begins_its_intervals_now) {
  test::SmallView small(1);
  const AliquotState fresh = after(small, nullptr);
  EXPECT_EQ(small.view.now, fresh.last_rebalance);
  EXPECT_EQ(small.view.now, fresh.last_repack);
  EXPECT_EQ(0, fresh.tokens);
}

TEST(AliquotState, jobs_that_have_ended_and_penalties_that_are_over_are_left_out) {
  test::SmallView small(1);
  small.running(3, {{{0}, 1}}, 10, 10);
  AliquotState state;
  state.stalled_until[{3}] = small.view.now;
  state.stalled_until[{4}] = small.view.now + seconds(5);
  state.displaced[{4}] = {};
  const AliquotState kept = after(small, state);
  EXPECT_TRUE(kept.stalled_until.empty());
  EXPECT_TRUE(kept.displaced.empty());
}

TEST(AliquotState, beyond_a_hundred_only_displacements_of_paused_jobs_are_kept) {
  test::SmallView small(1);
  AliquotState state;
  for (std::uint32_t job = 1; job <= 300; ++job) {
    job % 3 == 0 ? small.running(job, {{{0}, 1}}, 1, 0) : small.paused(job, 1, 1, 1);
    state.displaced[{job}] = {};
  }
  const AliquotState kept = after(small, state);
  EXPECT_EQ(200U + 33U,
            kept.displaced.size());  // all that are paused, and every third of the first hundred
}

TEST(AliquotState, the_last_displacement_of_a_job_counts) {
  test::SmallView small(1);
  for (const std::uint32_t job : {2U, 4U, 7U}) small.paused(job, 1, 1, 1);
  const Displacement first{Displacement::By::admission, {1}, 200, 100};
  const Displacement second{Displacement::By::repacking, {2}, 300, 200};
  auto state = std::make_shared<AliquotState>();
  for (const std::uint64_t job : {2U, 4U}) state->displaced[{job}] = first;
  small.view.memory.state = state;
  const AliquotSpec spec;
  PlanningState planning(small.view, spec, kAll);
  planning.displace(planning.draft().index_of({4}), first);
  planning.displace(planning.draft().index_of({4}), second);
  planning.displace(planning.draft().index_of({7}), first);
  const PolicyMemory memory = planning.take_memory();
  FlatMap<JobId, Displacement> expected;
  for (const std::uint64_t job : {2U, 7U}) expected[{job}] = first;
  expected[{4}] = second;
  EXPECT_EQ(expected, memory.state_as<AliquotState>()->displaced);
}

TEST(PolicyStates, nothing_remembered_is_an_empty_text) {
  EXPECT_EQ(nullptr, decode_policy_state(""));
  EXPECT_EQ("", encode_policy_state(nullptr));
}

TEST(PolicyStates, a_text_that_no_policy_wrote_is_kept_as_it_is) {
  const std::string whole = some_state(Instant{100'000'000}).encode();
  for (const std::string& text :
       {std::string("mine"), std::string("window=0"), whole.substr(0, whole.size() - 1) + "x",
        whole + " 9 9", whole + " 7 0 3 250 100", std::string("aliquot 1 2"),
        std::string("aliquot 01 0 0 0"), std::string("aliquot 1 0 0 9999999999")}) {
    const auto state = decode_policy_state(text);
    EXPECT_NE(nullptr, dynamic_cast<const TextState*>(state.get())) << text;
    EXPECT_EQ(text, encode_policy_state(state));
  }
}

// Whatever happens to a text, nothing is lost of it.
TEST(PolicyStates, every_text_survives_decoding) {
  test::Dice dice(1);
  std::size_t understood = 0;
  for (int k = 0; k < 3'000; ++k) {
    AliquotState state;
    state.tokens = static_cast<std::int32_t>(dice.between(0, 50));
    for (std::int64_t job = dice.between(0, 20); job > 0; --job) {
      const JobId id{static_cast<std::uint64_t>(dice.between(1, 1'000'000))};
      const auto number = [&] { return static_cast<std::int32_t>(dice.between(-100, 2'000'000'000)); };
      if (dice.chance(50)) state.stalled_until[id] = {dice.between(0, INT64_MAX)};
      state.displaced[id] = {static_cast<Displacement::By>(dice.between(0, 3)), id, number(), number()};
    }
    std::string text = state.encode();
    constexpr std::string_view kOdd = "0123456789 -+x";
    for (std::int64_t changes = dice.chance(50) ? 0 : dice.between(1, 3); changes > 0; --changes) {
      const auto at = static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(text.size()) - 1));
      const char odd = kOdd[static_cast<std::size_t>(dice.between(0, kOdd.size() - 1))];
      dice.chance(50) ? void(text[at] = odd) : void(text.insert(at, 1, odd));
    }
    const auto decoded = decode_policy_state(text);
    ASSERT_EQ(text, encode_policy_state(decoded));
    understood += dynamic_cast<const AliquotState*>(decoded.get()) != nullptr ? 1 : 0;
  }
  EXPECT_GT(understood, 1'500U);
}

}  // namespace
}  // namespace aliquot
