// A program that needs something else than its job says.
#include <gtest/gtest.h>

#include "test/unit/manager/hypervisor/model/one_job.hpp"

namespace aliquot {
namespace {

Instant at(std::int64_t second) { return {seconds(second).raw}; }

TEST(TrueNeeds, AProgramThatNeedsTwiceAsMuchTakesTwiceAsLong) {
  OneJob job;
  job.model.set_true_needs({7}, {{{}, cores(4)}});
  job.start();
  EXPECT_EQ(job.model.use_of({7}), (ModelUse{cores(2), cores(2), cores(4), at(0)}));
  (void)job.wait();
  EXPECT_EQ(job.now, at(200));
}

TEST(TrueNeeds, AProgramThatNeedsLessIsSlowedOnlyByALowerCap) {
  OneJob job;
  job.model.set_true_needs({7}, {{{}, cores(1)}});
  job.start({0}, Yield{500'000});
  EXPECT_EQ(job.model.use_of({7}), (ModelUse{cores(1), cores(1), cores(1), at(0)}));
  job.go_to(50);
  (void)job.tell(Cap{{}, Yield{250'000}});
  (void)job.wait();
  EXPECT_EQ(job.now, at(50 + 100));
}

TEST(TrueNeeds, PhasesFollowOneAnotherByVirtualTime) {
  OneJob job;
  job.model.set_true_needs({7}, {{{}, cores(1)}, {seconds(40), cores(4)}, {seconds(60), cores(2)}});
  job.start();
  EXPECT_TRUE(job.wait().empty());
  EXPECT_EQ(job.now, at(40));
  EXPECT_EQ(job.model.use_of({7})->needed, cores(4));
  EXPECT_TRUE(job.wait().empty());
  EXPECT_EQ(job.now, at(80)) << "20 s of work at half the pace";
  EXPECT_EQ(job.model.use_of({7})->used, cores(2));
  EXPECT_EQ(job.wait().size(), 1U);
  EXPECT_EQ(job.now, at(120));
}

TEST(TrueNeeds, AnotherNeedOfTheJobChangesNothingByItself) {
  OneJob job;
  job.model.set_true_needs({7}, {{{}, cores(1)}});
  job.start();
  job.go_to(50);
  job.model.change_need({7}, cores(1));
  EXPECT_EQ(job.model.use_of({7}), (ModelUse{cores(1), cores(1), cores(1), at(50)}));
  (void)job.wait();
  EXPECT_EQ(job.now, at(100));
}

TEST(TrueNeeds, CountersShowWhatIsUsed) {
  OneJob job;
  job.model.set_true_needs({7}, {{{}, cores(1)}, {seconds(40), cores(2)}});
  job.start();
  job.go_to(60);
  std::vector<VmSample> samples;
  job.model.sample({0}, [&](NodeId, std::vector<VmSample> its) { samples = std::move(its); });
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].cpu, seconds(40 + 2 * 20));
}

TEST(TrueNeeds, AJobThatDoesNotRunUsesNothing) {
  OneJob job;
  EXPECT_FALSE(job.model.use_of({7}));
  job.start();
  EXPECT_TRUE(job.model.use_of({7}));
  (void)job.tell(Suspend{});
  EXPECT_FALSE(job.model.use_of({7}));
}

}  // namespace
}  // namespace aliquot
