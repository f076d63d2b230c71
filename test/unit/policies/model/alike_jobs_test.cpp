// Jobs by what they ask for.
#include "policies/model/alike_jobs.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

Job job_of(std::uint64_t id, std::int64_t memory, Phase phase = Phase::waiting) {
  Job job;
  job.id = {id};
  job.demand.tasks = 2;
  job.demand.memory = mebibytes(memory);
  job.submitted = Instant{} + seconds(static_cast<std::int64_t>(id));
  job.phase = phase;
  return job;
}

TEST(AlikeJobs, have_one_shape_if_they_ask_for_the_same) {
  AlikeJobs jobs;
  jobs.add(job_of(5, 100));
  jobs.add(job_of(3, 200, Phase::paused));
  jobs.add(job_of(4, 100));
  ASSERT_EQ(jobs.entries().size(), 3U);
  const AlikeJobs::Entry &first = jobs.entries()[0], &second = jobs.entries()[1],
                         &third = jobs.entries()[2];
  EXPECT_EQ(first.id, JobId{3}) << "in increasing ids";
  EXPECT_TRUE(first.has_begun);
  EXPECT_FALSE(second.has_begun);
  EXPECT_EQ(second.shape, third.shape);
  EXPECT_NE(first.shape, second.shape);
  EXPECT_EQ(jobs.shapes()[first.shape], JobShape::of(job_of(1, 200).demand));
  EXPECT_EQ(third.submitted, Instant{} + seconds(5));
}

TEST(AlikeJobs, give_the_number_of_a_shape_to_another_when_the_last_has_left) {
  AlikeJobs jobs;
  for (std::uint64_t id = 1; id <= 100; ++id) {
    jobs.add(job_of(id, static_cast<std::int64_t>(id)));
    if (id > 2) jobs.remove(job_of(id - 2, static_cast<std::int64_t>(id - 2)));
  }
  EXPECT_EQ(jobs.entries().size(), 2U);
  EXPECT_EQ(jobs.shapes().size(), 3U);
  EXPECT_EQ(jobs.shapes()[jobs.entries()[1].shape], JobShape::of(job_of(1, 100).demand));
}

TEST(AlikeJobs, are_equal_however_their_shapes_are_numbered) {
  AlikeJobs a, b;
  a.add(job_of(1, 100));
  a.add(job_of(2, 200));
  b.add(job_of(2, 200));
  b.add(job_of(1, 100));
  EXPECT_NE(a.entries()[0].shape, b.entries()[0].shape);
  EXPECT_EQ(a, b);
  b.remove(job_of(1, 100));
  EXPECT_FALSE(a == b);
  b.add(job_of(1, 300));
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace aliquot
