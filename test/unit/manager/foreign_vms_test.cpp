// What surveys of a node become: an event for the core, and the list of orphans.
#include "manager/foreign_vms.hpp"

#include <gtest/gtest.h>

#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

class Surveys : public ::testing::Test {
 protected:
  Surveys() {
    state.view.nodes = {test::node(0), test::node(1)};
    state.next_job = {10};
    JobRecord& record = state.records[{3}];
    record.submission = test::submission(1, 500, 100);
    record.vms.resize(1);
    record.vms[0].state = VmState::running;
    record.vms[0].incarnation = 2;
    Job job;
    job.id = {3};
    job.submitted = Instant{} + seconds(50);
    state.view.jobs.emplace(job.id, job);
  }
  static FoundDomain domain(std::uint64_t job, std::uint32_t incarnation, std::uint32_t task = 0) {
    FoundDomain found;
    found.identity = {"cluster", {job}, task, incarnation, 1};
    found.uuid = vm_uuid(found.identity);
    found.name = vm_name(found.identity);
    found.memory = mebibytes(64);
    found.cpu = Cpu{250'000};
    return found;
  }
  std::optional<OtherVms> told(const NodeSurvey& survey, std::int64_t speed_ppm = kMillion) {
    const auto event = vms.take({0}, survey, speed_ppm, state, {});
    if (!event) return std::nullopt;
    EXPECT_EQ(std::get<OthersChanged>(*event).node, NodeId{0});
    state.view.nodes[0].charge_others(std::get<OthersChanged>(*event).others);
    return std::get<OthersChanged>(*event).others;
  }
  [[nodiscard]] std::string because() const {
    const auto all = vms.orphans(state);
    return all.size() == 1 ? all[0].because : std::to_string(all.size()) + " orphans";
  }

  // Seen twice, at this moment and before.
  std::vector<OrphanVm> outlived(const FoundDomain& domain, Instant now) {
    NodeSurvey survey;
    survey.ours = {domain};
    (void)told(survey);
    (void)told(survey);
    return vms.take_outlived(state, calendar, now);
  }

  CoreState state;
  ForeignVms vms;
  const Calendar calendar{1000 * kMillion};
};

TEST_F(Surveys, TellTheCoreOfAChangeOnce) {
  NodeSurvey survey;
  EXPECT_FALSE(told(survey)) << "there is nothing, as the core knows";
  survey.others = {1, mebibytes(200), Cpu{500'000}};
  EXPECT_EQ(told(survey), survey.others);
  EXPECT_FALSE(told(survey));
  EXPECT_EQ(told({}), OtherVms{});
}

TEST_F(Surveys, CountCpuInReferenceCores) {
  NodeSurvey survey;
  survey.others = {1, mebibytes(200), Cpu{500'000}};
  EXPECT_EQ(told(survey, 2 * kMillion)->cpu, Cpu{1'000'000});
}

TEST_F(Surveys, DoNotTakeTheVmOfAJobForAnOrphan) {
  NodeSurvey survey;
  survey.ours = {domain(3, 2)};
  EXPECT_FALSE(told(survey));
  EXPECT_FALSE(told(survey));
  EXPECT_EQ(because(), "0 orphans");
}

TEST_F(Surveys, ChargeAndListAnOrphanWhenItIsSeenForTheSecondTime) {
  NodeSurvey survey;
  survey.ours = {domain(5, 1)};
  EXPECT_FALSE(told(survey)) << "its task may have ended just now";
  EXPECT_EQ(because(), "0 orphans");
  EXPECT_EQ(told(survey), (OtherVms{1, mebibytes(64), Cpu{250'000}}));
  EXPECT_EQ(because(), "its job has ended");
  EXPECT_EQ(vms.count_orphans(state, {0}), 1U);
  EXPECT_EQ(vms.count_orphans(state, {1}), 0U);
  EXPECT_EQ(told({}), OtherVms{});
  EXPECT_EQ(because(), "0 orphans");
}

TEST_F(Surveys, SayWhyNoJobKnowsAVm) {
  const auto twice = [&](const FoundDomain& domain) {
    NodeSurvey survey;
    survey.ours = {domain};
    (void)told(survey);
    (void)told(survey);
    return because();
  };
  EXPECT_EQ(twice(domain(12, 1)), "the store does not know its job: is it older than the VM?");
  EXPECT_EQ(twice(domain(3, 1)), "its task has another VM");
  EXPECT_EQ(twice(domain(3, 2, 1)), "its job has no such task");
  state.records[{3}].vms[0].state = VmState::ended;
  EXPECT_EQ(twice(domain(3, 2)), "its task has ended");
  state.records[{3}].vms[0].unclear = true;
  EXPECT_EQ(because(), "0 orphans") << "what it does is being asked";
}

// The creation of a VM that was given up may take effect later, beside the one that took its place.
TEST_F(Surveys, GiveAVmThatItsTaskHasOutlivedUntilItIsGone) {
  FoundDomain old = domain(3, 1);
  old.identity.created = 1060;
  NodeSurvey survey;
  survey.ours = {old};
  (void)told(survey);
  EXPECT_TRUE(vms.take_outlived(state, calendar, {}).empty()) << "it may be on its way";
  const auto given = outlived(old, {});
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given[0].domain.uuid, old.uuid);
  EXPECT_EQ(given[0].node, NodeId{0});
  EXPECT_TRUE(outlived(old, Instant{} + seconds(59)).empty()) << "it is being destroyed";
  EXPECT_EQ(outlived(old, Instant{} + seconds(60)).size(), 1U) << "that has failed";
}

// A store that was restored from a backup gives the numbers of lost jobs to others, whose VMs do real work.
TEST_F(Surveys, LeaveAnyOtherOrphanToAnOperator) {
  FoundDomain old = domain(3, 1);
  EXPECT_TRUE(outlived(old, {}).empty()) << "it is not known when it was made";
  old.identity.created = 1049;
  EXPECT_TRUE(outlived(old, {}).empty()) << "it is older than its job";
  FoundDomain later = domain(3, 3);
  later.identity.created = 1060;
  EXPECT_TRUE(outlived(later, {}).empty()) << "the store is older than it";
  FoundDomain ended = domain(5, 1);
  ended.identity.created = 1060;
  EXPECT_TRUE(outlived(ended, {}).empty()) << "its job has ended";
  EXPECT_EQ(because(), "its job has ended");
}

}  // namespace
}  // namespace aliquot
