// The knowledge base of moldable applications: what it learns, what it advises, what it forgets, its text.
#include "policies/moldable/knowledge.hpp"

#include <gtest/gtest.h>

#include <random>

namespace aliquot::moldable {
namespace {

using Lesson = KnowledgeBase::Lesson;
using Match = KnowledgeBase::Match;

KnownRun run(const std::string& application, std::uint64_t size, std::uint32_t tasks, std::int64_t time_s,
             std::uint64_t iterations = 1) {
  return {application, size, iterations, tasks, seconds(time_s), mebibytes(512)};
}
std::uint32_t below(std::mt19937_64& random, std::uint32_t most) {
  return static_cast<std::uint32_t>(random() % most);
}
Lesson learn(KnowledgeBase& base, const KnownRun& finished) { return base.learn(finished).value(); }

TEST(Knowledge, an_entry_is_replaced_by_a_better_run_only) {
  KnowledgeBase base(10);
  EXPECT_EQ(learn(base, run("cfd", 1'000, 8, 100)), Lesson::added);
  EXPECT_EQ(learn(base, run("cfd", 1'000, 16, 110)), Lesson::not_better);
  EXPECT_EQ(learn(base, run("cfd", 1'000, 16, 90)), Lesson::improved);
  EXPECT_EQ(learn(base, run("cfd", 1'000, 32, 90)), Lesson::not_better);
  EXPECT_EQ(learn(base, run("cfd", 1'000, 12, 90)), Lesson::improved);  // as fast with fewer tasks
  EXPECT_EQ(base.list(), std::vector{run("cfd", 1'000, 12, 90)});
}

TEST(Knowledge, runs_are_compared_by_the_time_of_an_iteration) {
  KnowledgeBase base(10);
  EXPECT_EQ(learn(base, run("cfd", 1, 8, 100, 10)), Lesson::added);
  EXPECT_EQ(learn(base, run("cfd", 1, 16, 190, 20)), Lesson::improved);
  EXPECT_EQ(learn(base, run("cfd", 1, 16, 10, 1)), Lesson::not_better);
}

TEST(Knowledge, advice_is_for_the_problem_size_or_the_nearest_one) {
  KnowledgeBase base(10);
  for (const auto& known : {run("cfd", 100, 4, 10), run("cfd", 1'000, 12, 10), run("md", 300, 99, 10)})
    EXPECT_EQ(learn(base, known), Lesson::added);
  const auto exact = base.advise("cfd", 1'000, {1, 64});
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->match, Match::exact);
  EXPECT_EQ(exact->tasks, 12);
  const auto near = base.advise("cfd", 300, {1, 64});  // 3 from 100, 3.33 from 1,000
  ASSERT_TRUE(near);
  EXPECT_EQ(near->match, Match::nearest);
  EXPECT_EQ(near->tasks, 4);
  EXPECT_EQ(base.advise("cfd", 320, {1, 64})->tasks, 12);
  EXPECT_EQ(base.advise("cfd", 0, {1, 64})->tasks, 4);
  EXPECT_FALSE(base.advise("cf", 100, {1, 64}));
  EXPECT_FALSE(base.advise("cfd2", 100, {1, 64}));
}

TEST(Knowledge, one_problem_size_or_a_whole_application_is_forgotten) {
  KnowledgeBase base(10);
  for (const auto& known : {run("cfd", 1, 4, 10), run("cfd", 2, 4, 10), run("md", 1, 4, 10)})
    EXPECT_EQ(learn(base, known), Lesson::added);
  EXPECT_EQ(base.forget("cfd", 3), 0U);
  EXPECT_EQ(base.forget("cfd", 2), 1U);
  EXPECT_EQ(base.list(), (std::vector{run("cfd", 1, 4, 10), run("md", 1, 4, 10)}));
  EXPECT_EQ(base.forget("cf", {}), 0U);
  EXPECT_EQ(base.forget("cfd", {}), 1U);
  EXPECT_EQ(base.list(), std::vector{run("md", 1, 4, 10)});
}

TEST(Knowledge, advice_stays_in_the_range_of_the_job) {
  KnowledgeBase base(10);
  EXPECT_EQ(learn(base, run("cfd", 100, 40, 10)), Lesson::added);
  const auto advice = base.advise("cfd", 100, {2, 16});
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->tasks, 16);
  EXPECT_TRUE(advice->clamped);
  EXPECT_FALSE(base.advise("cfd", 100, {2, 40})->clamped);
  EXPECT_EQ(
      explain(*advice),
      "16 tasks: the nearest in the job's range to 40, the best number so far of cfd with problem size "
      "100.");
  EXPECT_EQ(
      explain(*base.advise("cfd", 90, {40, 40})),
      "40 tasks: the best number so far of cfd with problem size 100, the nearest size that is known.");
}

TEST(Knowledge, the_least_recently_used_entry_goes) {
  KnowledgeBase base(3);
  for (const auto size : {1, 2, 3}) EXPECT_EQ(learn(base, run("cfd", size, 4, 10)), Lesson::added);
  EXPECT_TRUE(base.advise("cfd", 1, {1, 8}));                        // used
  EXPECT_EQ(learn(base, run("cfd", 2, 4, 99)), Lesson::not_better);  // used, too
  EXPECT_EQ(learn(base, run("cfd", 4, 4, 10)), Lesson::added);
  EXPECT_EQ(base.list(), (std::vector{run("cfd", 1, 4, 10), run("cfd", 2, 4, 10), run("cfd", 4, 4, 10)}));
}

TEST(Knowledge, it_is_never_larger_than_its_limit) {
  std::mt19937_64 random(1);
  for (const std::size_t most : {0, 1, 7}) {
    KnowledgeBase base(most);
    for (int k = 0; k < 300; ++k) {
      const std::string name = "app" + std::to_string(below(random, 5));
      (void)learn(base, run(name, below(random, 5), 1 + below(random, 9), 1 + below(random, 9)));
      EXPECT_LE(base.size(), std::max<std::size_t>(most, 1));
    }
  }
}

TEST(Knowledge, an_import_of_the_export_is_the_same_base) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 50; ++k) {
    KnowledgeBase base(8);
    for (int i = 0; i < 30; ++i) {
      const std::string name = "app." + std::to_string(below(random, 3));
      KnownRun some = run(name, below(random, 6), 1 + below(random, 9), 1, 1 + below(random, 3));
      some.time = Duration{1 + std::int64_t{below(random, 1'000'000'000)}};
      (void)learn(base, some);
      (void)base.advise(name, below(random, 6), {1, 8});
    }
    const auto read = KnowledgeBase::import_csv(base.export_csv(), 8);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->list(), base.list());
    const auto smaller = KnowledgeBase::import_csv(base.export_csv(), 3);
    ASSERT_TRUE(smaller);
    const std::vector<KnownRun> all = base.list();
    EXPECT_EQ(smaller->list(), std::vector(all.end() - 3, all.end()));
  }
}

TEST(Knowledge, its_text_is_a_csv_file) {
  KnowledgeBase base(8);
  EXPECT_EQ(base.export_csv(), "application,problem_size,iterations,tasks,time_us,memory_bytes\n");
  EXPECT_EQ(learn(base, run("cfd", 1'000, 8, 100, 50)), Lesson::added);
  EXPECT_EQ(base.export_csv(),
            "application,problem_size,iterations,tasks,time_us,memory_bytes\n"
            "cfd,1000,50,8,100000000,536870912\n");
  EXPECT_EQ(KnowledgeBase::import_csv(KnowledgeBase(1).export_csv(), 8)->size(), 0);
}

TEST(Knowledge, what_cannot_be_read_is_refused_with_its_line) {
  const std::string header = "application,problem_size,iterations,tasks,time_us,memory_bytes\n";
  const auto refusal = [](const std::string& text) {
    const auto read = KnowledgeBase::import_csv(text, 8);
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_TRUE(refusal("").starts_with("line 1: "));
  EXPECT_TRUE(refusal("a,b\n").starts_with("line 1: "));
  EXPECT_TRUE(refusal(header + "cfd,1,1,1,1,0\ncfd,1,1,1,1\n").starts_with("line 3: "));
  EXPECT_TRUE(refusal(header + "cfd,1,1,one,1,0\n").starts_with("line 2: give six fields"));
  EXPECT_TRUE(refusal(header + "cfd,-1,1,1,1,0\n").starts_with("line 2: give six fields"));
  EXPECT_TRUE(refusal(header + "c fd,1,1,1,1,0\n").starts_with("line 2: the application"));
  EXPECT_TRUE(refusal(header + "cfd,1,0,1,1,0\n").starts_with("line 2: the iterations"));
  EXPECT_TRUE(refusal(header + "cfd,1,1,0,1,0\n").starts_with("line 2: the tasks"));
  EXPECT_TRUE(refusal(header + "cfd,1,1,1,0,0\n").starts_with("line 2: the time"));
  EXPECT_TRUE(refusal(header + "cfd,1,1,1,1,-1\n").starts_with("line 2: the memory"));
  EXPECT_TRUE(refusal(header + std::string(65, 'a') + ",1,1,1,1,0\n").starts_with("line 2: the appl"));
}

TEST(Knowledge, whatever_is_accepted_can_be_exported_and_read_again) {
  KnowledgeBase base(8);
  for (const auto size : {1, 20, 300}) EXPECT_EQ(learn(base, run("cfd.x", size, 4, 10, 7)), Lesson::added);
  const std::string text = base.export_csv();
  std::mt19937_64 random(3);
  int accepted = 0, refused = 0;
  for (int k = 0; k < 5'000; ++k) {
    std::string changed = text;
    const std::string_view characters = "0123456789,\n-+.e a";
    const std::size_t at = 63 + random() % (text.size() - 63);  // behind the header
    changed[at] = characters[random() % characters.size()];
    if (random() % 2 == 0) changed.erase(at, random() % 4);
    const auto read = KnowledgeBase::import_csv(changed, 8);
    (read ? accepted : refused) += 1;
    if (!read) continue;
    const auto again = KnowledgeBase::import_csv(read->export_csv(), 8);
    ASSERT_TRUE(again) << changed;
    EXPECT_EQ(again->list(), read->list());
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
}

TEST(Knowledge, the_memory_of_an_entry_is_divided_among_other_numbers_of_tasks) {
  const Memory whole = divided_memory(run("cfd", 100, 8, 10));
  EXPECT_EQ(whole, mebibytes(4'096));
  const auto offer = MoldableOffer::of({1, 8}, SpeedupModel::perfect(), cores(1), {}, whole).value();
  EXPECT_EQ(offer.on(8).memory, mebibytes(512));
  EXPECT_EQ(offer.on(2).memory, mebibytes(2'048));
  KnownRun huge = run("cfd", 100, 8, 10);
  huge.memory = {INT64_MAX / 2};
  EXPECT_EQ(divided_memory(huge), Memory{INT64_MAX});
}

}  // namespace
}  // namespace aliquot::moldable
