// Laws over whole simulated traces, under every policy and in every faults: whoever does not run at full
// yield has a reason at every instant, and the chronicle tells exactly what became of every job.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "manager/api/explain/chronicle.hpp"
#include "manager/api/explain/chronicle_rows.hpp"
#include "manager/api/explain/job_reasons.hpp"
#include "manager/api/explain/why_answer.hpp"
#include "monitor/codec_step.hpp"
#include "test/faults/scenario.hpp"
#include "test/support/json_form.hpp"
#include "test/support/policy_specs.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kSeeds = 4;          // one of each faults
constexpr std::uint64_t kWholeAnswers = 97;  // every so many steps, all that `why` says

class Nobody final : public Observer {
  void on_step(const Step&, const ClusterView&) override {}
};

// Listens to a run: what the chronicle told of every job, and what is wrong.
class Listener {
 public:
  explicit Listener(const Policy& policy) : policy_(policy) {}

  void hear(const Step& step, const Cluster& cluster) {
    const CoreState& state = cluster.state();
    const PlanRefusal none;
    for (const ChronicleEntry& entry : chronicle_.note(step, state, policy_)) take(step, entry);
    for (const auto& [id, job] : state.view.jobs) {
      expect_told(id, job);
      if (job.phase == Phase::running && job.progress.rate == kFullYield &&
          job.progress.stalled_until <= state.view.now)
        continue;
      const auto why = explain_job(state, policy_, id, none);
      ASSERT_TRUE(why.has_value());
      EXPECT_NE(why->reason, Reason::running_at_full_yield) << "job " << id.raw << ": " << why->text;
      EXPECT_GT(why->text.size(), 10U);
      ++reasons;
      if (++asked_ % kWholeAnswers == 0) expect_whole_answer(state, id);
    }
  }

  std::uint64_t reasons = 0;
  std::uint64_t entries = 0;

 private:
  void take(const Step& step, const ChronicleEntry& entry) {
    ++entries;
    if (entry.turn != Turn::tasks) {
      EXPECT_FALSE(entry.cause.empty()) << encode(entry);
    }
    const auto again = decode<ChronicleEntry>(encode(entry));
    ASSERT_TRUE(again) << encode(entry);
    EXPECT_EQ(*again, entry);
    EXPECT_GT(wire::chronicle_words({}, entry).size(), 5U);
    if (!entry.job || entry.turn == Turn::failed) return;
    if (entry.turn == Turn::ended) {
      told_.erase(*entry.job);
      waits_.erase(*entry.job);
      return;
    }
    if (entry.turn == Turn::wait) {
      EXPECT_TRUE(entry.reason) << encode(entry);
      waits_[*entry.job] = *entry.reason;
      return;
    }
    // What it had done is safe, or it lost what it did since; where it stands has an entry of its own.
    if (entry.turn == Turn::checkpoint || entry.turn == Turn::rollback) {
      EXPECT_EQ(entry.before, entry.after) << encode(entry);
      return;
    }
    if (entry.turn != Turn::need && entry.turn != Turn::tasks) {
      EXPECT_NE(entry.before, entry.after) << encode(entry);
    }
    EXPECT_EQ(told_[*entry.job].phase, entry.before.phase) << encode(entry);
    EXPECT_EQ(told_[*entry.job].yield, entry.before.yield) << encode(entry);
    const bool by_an_event = entry.turn == Turn::lost || entry.turn == Turn::rerun ||
                             entry.turn == Turn::need || entry.turn == Turn::tasks;
    // Jobs give way to tasks that join another before the policy is asked.
    const bool gives_way = entry.decision == 0 && std::ranges::any_of(step.events, [](const Event& event) {
                             return std::holds_alternative<TasksAdded>(event);
                           });
    if (!by_an_event && !gives_way) {
      EXPECT_EQ(entry.decision, step.number) << encode(entry);
    }
    told_[*entry.job] = entry.after;
    if (entry.after.phase == Phase::running || entry.turn == Turn::rerun) {
      waits_.erase(*entry.job);  // after a rerun it waits when nothing is left of its VMs: then it is told
    } else {
      ASSERT_TRUE(entry.reason) << encode(entry);
      waits_[*entry.job] = *entry.reason;
    }
  }

  void expect_told(JobId id, const Job& job) {
    const Standing& told = told_[id];
    EXPECT_EQ(told.phase, job.phase) << "job " << id.raw;
    EXPECT_EQ(told.yield, job.yield) << "job " << id.raw;
    // Of a job whose tasks end one by one the places only become fewer.
    for (const Share& share : job.placement) {
      const bool known = std::any_of(told.placement.begin(), told.placement.end(), [&](const Share& s) {
        return s.node == share.node && s.units >= share.units;
      });
      EXPECT_TRUE(known) << "job " << id.raw << " on node " << share.node.raw;
    }
    if (job.phase != Phase::running) {
      EXPECT_TRUE(waits_.contains(id)) << "job " << id.raw << " waits and nothing was said";
    }
  }

  void expect_whole_answer(const CoreState& state, JobId id) const {
    const auto answer = why_answer(state, policy_, id, {state.view.now, Calendar(0)});
    ASSERT_TRUE(answer);
    const nlohmann::json why = test::in_form("why", *answer);
    EXPECT_FALSE(why["remedies"].empty()) << why.dump();
    EXPECT_FALSE(why["expected"]["text"].get<std::string>().empty()) << why.dump();
    if (why["state"] == "pending" || why["state"] == "paused") {
      EXPECT_FALSE(why["kinds"].empty()) << why.dump();
    }
  }

  const Policy& policy_;
  Chronicle chronicle_{CoreState{}};
  std::map<JobId, Standing> told_;
  std::map<JobId, Reason> waits_;
  std::uint64_t asked_ = 0;
};

class EveryInstant : public testing::TestWithParam<std::string> {};

TEST_P(EveryInstant, Has_a_reason_and_a_chronicle_for_everybody) {
  std::uint64_t reasons = 0;
  std::uint64_t entries = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario world = draw_scenario(seed);
    Nobody nobody;
    Simulation simulation(world.workload, world.shape, world.model, std::move(*make_policy(GetParam())),
                          nobody);
    Listener listener(simulation.scheduler().policy());
    simulation.set_meddler([&](const Step& step, const Cluster& cluster) {
      if (!HasFailure()) listener.hear(step, cluster);
      std::vector<Event> events;
      for (const auto& [id, job] : cluster.view().jobs) {
        const JobRecord& record = *cluster.record(id);
        const bool is_held = record.array ? record.array->held : job.held;
        if (is_held && !record.deferral.any()) events.emplace_back(HoldChanged{id, false});
      }
      return events;
    });
    const auto done = simulation.run();
    EXPECT_TRUE(done) << done.error().message;
    reasons += listener.reasons;
    entries += listener.entries;
  }
  EXPECT_GT(reasons, 100U);
  EXPECT_GT(entries, 100U);
}

INSTANTIATE_TEST_SUITE_P(UnderEveryPolicy, EveryInstant, testing::ValuesIn(test::policy_specs("600")));

}  // namespace
}  // namespace aliquot
