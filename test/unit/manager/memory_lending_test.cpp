// From what guests say of their memory to balloons, and to the event that a job is counted with less.
#include "manager/memory_lending.hpp"

#include <gtest/gtest.h>

#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

constexpr JobId kJob{1};

Instant at(std::int64_t second) { return Instant{} + seconds(second); }

// VMs whose guests follow their balloons within a second, and tell every five.
class Guests final : public Hypervisor {
 public:
  void perform(const Action&, std::shared_ptr<const JobSpec>) override {}
  void inspect(std::vector<VmQuery>) override {}
  void sample(NodeId, SampleSink) override {}
  void forget(JobId) override {}
  void set_balloon(const VmBalloon& balloon) override {
    ++calls;
    asked_every = 1;
    asked.push_back(balloon);
    if (listens) wanted.at(balloon.task) = balloon.memory;
  }
  std::vector<VmUsage> tell(std::int64_t second) {
    std::vector<VmUsage> all;
    for (std::uint32_t task = 0; task < wanted.size(); ++task) {
      const Memory before = given[task];
      given[task] = wanted[task];
      if (second % 5 == 0) told = second;
      if (second % 5 == 0 || usable.size() <= task) {
        usable.resize(wanted.size());
        usable[task] = std::max(Memory{}, before - used);
      }
      VmUsage usage{kJob, task, 1, run, {0}, 1, {}};
      if (told > 0 && second % asked_every == 0)
        usage.memory = GuestMemory{given[task], std::min(usable[task], given[task]), told};
      all.push_back(usage);
    }
    return all;
  }

  bool listens = true;
  std::int64_t asked_every = 1;  // readings between have nothing of memory
  int calls = 0;
  std::vector<VmBalloon> asked;
  std::vector<Memory> wanted, given, usable;
  Memory used = mebibytes(300);
  std::int64_t told = 0;
  std::int64_t run = 1;
};

class memory_lending : public testing::Test {
 protected:
  memory_lending() {
    settings_.needs.memory = "learned";
    settings_.needs.memory_kept_ppm = 500'000;
  }
  void start(Submission job) {
    guests_.wanted.assign(job.demand.tasks, job.guest_memory);
    guests_.given = guests_.wanted;
    world_.will_decide({{kJob, {{{0}, job.demand.tasks}}, kFullYield}});
    (void)world_.complete(world_.at(0, {Submitted{kJob, std::move(job)}}));
  }
  void run(std::int64_t for_seconds) {
    for (const std::int64_t end = now_ + for_seconds; now_ < end; ++now_) {
      lending_.every_second(at(now_));
      lending_.read(guests_.tell(now_), at(now_));
      take_step();
    }
  }
  void take_step() {
    if (keeps_events_) return;
    for (Event& event : std::exchange(input_.events, {})) {
      learned_.push_back(std::get<MemoryLearned>(event));
      (void)world_.complete(world_.at(now_, {std::move(event)}));
    }
  }
  [[nodiscard]] Memory counted() const { return world_.job(1).demand.memory; }

  ScriptedWorld world_{{test::node(0, 4, 4000)}};
  Guests guests_;
  Settings settings_;
  StepInput input_;
  MemoryLending lending_{{world_.scheduler(), guests_, settings_, input_}};
  std::int64_t now_ = 1;
  bool keeps_events_ = false;
  std::vector<MemoryLearned> learned_;
};

TEST_F(memory_lending, counts_a_job_with_what_its_guests_have_been_left) {
  start(submission(2, 100, 1000));
  run(60);
  EXPECT_EQ(guests_.calls, 0) << "a minute is not over";
  run(20);
  ASSERT_EQ(learned_.size(), 1U);
  EXPECT_EQ(guests_.calls, 2) << "each VM once";
  EXPECT_EQ(counted(), mebibytes(500));
  EXPECT_EQ(guests_.given[1], counted());
  EXPECT_EQ(learned_[0].used, mebibytes(300));
  EXPECT_EQ(learned_[0].why, "a task of it uses 300 MiB of the 1000 MiB that it declares");
}

TEST_F(memory_lending, remembers_what_was_told_while_guests_are_not_asked) {
  guests_.asked_every = 5;
  start(submission(2, 100, 1000));
  run(85);
  ASSERT_EQ(learned_.size(), 1U);
  EXPECT_EQ(counted(), mebibytes(500));
}

TEST_F(memory_lending, leaves_the_overhead_of_the_vm_out_of_what_is_lent) {
  Submission job = submission(1, 100, 1000);
  job.demand.memory = mebibytes(1100);
  start(job);
  run(80);
  EXPECT_EQ(counted(), mebibytes(550)) << "a half of all that is declared";
  EXPECT_EQ(guests_.given[0], mebibytes(450));
}

TEST_F(memory_lending, counts_nothing_less_before_every_guest_has_given_it_back) {
  start(submission(2, 100, 1000));
  guests_.listens = false;
  run(70);
  EXPECT_GE(guests_.calls, 2);
  EXPECT_TRUE(learned_.empty());
  run(70);
  EXPECT_EQ(guests_.asked.back().memory, mebibytes(500));
  EXPECT_LT(guests_.calls, 20) << "some seconds apart";
  const int calls = guests_.calls;
  run(40);
  EXPECT_EQ(guests_.calls, calls) << "given up for a while";
  EXPECT_TRUE(learned_.empty());
}

TEST_F(memory_lending, gives_all_back_within_a_second_of_the_word) {
  start(submission(1, 100, 1000));
  run(80);
  ASSERT_EQ(learned_.size(), 1U);
  guests_.used = mebibytes(480);
  run(6);
  ASSERT_EQ(learned_.size(), 2U);
  EXPECT_EQ(counted(), mebibytes(1000));
  EXPECT_EQ(guests_.wanted[0], mebibytes(1000));
  run(1);
  EXPECT_EQ(guests_.given[0], mebibytes(1000));
}

TEST_F(memory_lending, gives_all_back_to_a_guest_that_has_taken_some_by_itself) {
  start(submission(1, 100, 1000));
  run(81);
  ASSERT_EQ(learned_.size(), 1U);
  guests_.wanted[0] += mebibytes(8);
  run(2);
  EXPECT_EQ(counted(), mebibytes(1000)) << "before it tells again";
  EXPECT_EQ(guests_.wanted[0], mebibytes(1000));
}

TEST_F(memory_lending, gives_up_a_lowering_when_a_guest_wants_more_meanwhile) {
  start(submission(2, 100, 1000));
  run(62);
  guests_.listens = false;
  run(8);
  guests_.listens = true;
  guests_.used = mebibytes(990);
  run(30);
  EXPECT_EQ(counted(), mebibytes(1000));
  EXPECT_EQ(guests_.given, (std::vector<Memory>{mebibytes(1000), mebibytes(1000)}));
}

TEST_F(memory_lending, asks_again_where_the_core_did_not_find_the_memory) {
  start(submission(1, 100, 1000));
  run(80);
  (void)world_.at(now_, {ModeChanged{Mode::automatic}});
  guests_.used = mebibytes(480);
  keeps_events_ = true;
  run(6);
  input_.events.clear();  // as if it were refused
  keeps_events_ = false;
  run(25);
  EXPECT_EQ(guests_.given[0], mebibytes(1000)) << "its guest has it all the same";
  EXPECT_LT(counted(), mebibytes(1000));
  run(15);
  EXPECT_EQ(counted(), mebibytes(1000));
}

TEST_F(memory_lending, sets_a_balloon_again_after_a_call_that_failed) {
  start(submission(1, 100, 1000));
  guests_.listens = false;
  run(75);
  EXPECT_GT(guests_.calls, 0);
  EXPECT_TRUE(learned_.empty());
  guests_.listens = true;
  run(20);
  EXPECT_EQ(learned_.size(), 1U);
}

TEST_F(memory_lending, sets_a_balloon_again_that_is_not_as_it_should_be) {
  start(submission(1, 100, 1000));
  run(80);
  ASSERT_EQ(learned_.size(), 1U);
  guests_.wanted[0] = guests_.given[0] = mebibytes(1000);  // restored without it
  ++guests_.run;
  guests_.used = mebibytes(200);
  run(15);
  EXPECT_EQ(guests_.given[0], counted());
  EXPECT_EQ(learned_.size(), 1U);
}

TEST_F(memory_lending, goes_on_after_a_restart_of_the_manager) {
  start(submission(1, 100, 1000));
  run(80);
  MemoryLending next{{world_.scheduler(), guests_, settings_, input_}};
  const int calls = guests_.calls;
  for (std::int64_t end = now_ + 10; now_ < end; ++now_) {
    next.every_second(at(now_));
    next.read(guests_.tell(now_), at(now_));
  }
  EXPECT_TRUE(input_.events.empty());
  EXPECT_EQ(guests_.calls, calls + 1) << "so that its guest tells every second";
  EXPECT_EQ(guests_.given[0], counted());
}

TEST_F(memory_lending, leaves_alone_what_is_to_be_counted_as_declared) {
  Submission job = submission(1, 100, 1000);
  job.need_mode = needs::NeedMode::declared;
  start(job);
  run(80);
  EXPECT_FALSE(lending_.watches());
  EXPECT_EQ(guests_.calls, 0);
}

TEST_F(memory_lending, is_off_unless_a_site_wants_it) {
  settings_ = {};
  start(submission(1, 100, 1000));
  run(80);
  EXPECT_FALSE(lending_.watches());
  EXPECT_EQ(guests_.calls, 0);
}

TEST_F(memory_lending, gives_all_back_when_the_site_lends_no_more) {
  start(submission(1, 100, 1000));
  run(80);
  ASSERT_LT(counted(), mebibytes(1000));
  settings_.needs.memory = "declared";
  run(3);
  EXPECT_EQ(counted(), mebibytes(1000));
  EXPECT_EQ(guests_.given[0], mebibytes(1000));
  run(2);
  EXPECT_FALSE(lending_.watches());
}

// A manager that lives hears nothing of an agent that was started anew but that guests are asked seldom.
TEST_F(memory_lending, sets_a_balloon_again_whose_guest_is_not_asked_every_second_any_more) {
  start(submission(1, 100, 1000));
  run(80);
  ASSERT_EQ(learned_.size(), 1U);
  const int calls = guests_.calls;
  run(60);
  EXPECT_EQ(guests_.calls, calls);
  guests_.asked_every = 5;
  run(6);
  EXPECT_EQ(guests_.calls, calls + 1);
  EXPECT_EQ(guests_.asked.back().memory, counted());
  EXPECT_EQ(guests_.asked_every, 1);
}

TEST_F(memory_lending, is_the_same_on_nodes_with_agents) {
  settings_.nodes.emplace_back().uri = "agent://10.0.0.7";
  start(submission(1, 100, 1000));
  run(80);
  EXPECT_EQ(counted(), mebibytes(500));
}

TEST_F(memory_lending, gives_all_back_when_a_node_comes_that_runs_xen) {
  start(submission(1, 100, 1000));
  run(80);
  ASSERT_LT(counted(), mebibytes(1000));
  settings_.nodes.emplace_back().hypervisor = HypervisorKind::xen;
  run(3);
  EXPECT_EQ(counted(), mebibytes(1000));
  EXPECT_EQ(guests_.given[0], mebibytes(1000));
}

TEST_F(memory_lending, goes_on_beside_nodes_that_run_xen_for_a_job_that_asks_for_libvirt) {
  settings_.nodes.emplace_back().hypervisor = HypervisorKind::xen;
  Submission job = submission(1, 100, 1000);
  job.demand.hypervisor = HypervisorKind::libvirt;
  start(job);
  run(80);
  EXPECT_EQ(counted(), mebibytes(500));
}

TEST_F(memory_lending, keeps_more_when_the_site_keeps_more) {
  start(submission(1, 100, 1000));
  run(80);
  settings_.needs.memory_kept_ppm = 900'000;
  run(5);
  EXPECT_EQ(counted(), mebibytes(1000)) << "all of it first";
}

TEST_F(memory_lending, takes_nothing_that_no_balloon_can_take) {
  Submission chain = submission(1, 100, 1000);
  chain.program = HashChain{1, 1};
  start(chain);
  run(80);
  EXPECT_FALSE(lending_.watches());
}

TEST_F(memory_lending, changes_nothing_while_the_manager_only_advises) {
  start(submission(1, 100, 1000));
  (void)world_.at(0, {ModeChanged{Mode::advise}});
  run(80);
  EXPECT_EQ(guests_.calls, 0);
  EXPECT_TRUE(learned_.empty());
}

TEST_F(memory_lending, forgets_a_job_that_has_ended) {
  start(submission(1, 100, 1000));
  run(5);
  EXPECT_TRUE(lending_.watches());
  (void)world_.complete(world_.at(now_, {Cancelled{kJob, JobResult::cancelled, "its user"}}));
  lending_.every_second(at(now_));
  EXPECT_FALSE(lending_.watches());
}

}  // namespace
}  // namespace aliquot
