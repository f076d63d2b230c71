// What is learned of run times: predictions beside a reference implementation, intervals, bounds, the CSV.
#include "policies/prediction/run_time_history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <random>

namespace aliquot::prediction {
namespace {

RunTraits traits(std::uint32_t user, std::uint32_t tasks, std::int64_t requested_s,
                 const std::string& application = "") {
  return {"physics", user, application, tasks, seconds(requested_s)};
}

std::uint32_t below(std::mt19937_64& random, std::uint32_t most) {
  return static_cast<std::uint32_t>(random() % most);
}

// All runs in order, looked through for every question: slow, and as the header tells it.
class Reference {
 public:
  void learn(const RunTraits& of, Duration run_time, const SaidInterval& said) {
    compare(of, run_time);
    runs_.emplace_back(of, run_time);
    const auto follow = [](int& steps, bool missed) {
      steps = missed ? std::min(2560, steps + 9) : std::max(0, steps - 1);
    };
    follow(below_, run_time < said.least);
    follow(above_, run_time > said.most);
  }

  [[nodiscard]] Prediction predict(const RunTraits& of, Duration done) const {
    for (std::size_t level = 0; level < kLevels; ++level) {
      const std::vector<double> longer = runs_like(of, level, done);
      if (longer.size() < 2 || behind(of, level) > 0) continue;
      const std::size_t n = longer.size();
      const auto at = [&](double rank) {
        return longer[static_cast<std::size_t>(std::clamp(rank, 1.0, static_cast<double>(n))) - 1];
      };
      const double so_far = static_cast<double>(done.raw);
      const auto low_rank = std::floor(static_cast<double>(n + 1) / 10);
      const auto high_rank = std::ceil(static_cast<double>(9 * (n + 1)) / 10);
      const auto rest = [&](double total) {
        return Duration{static_cast<std::int64_t>(std::max(0.0, std::floor(total) - so_far))};
      };
      const double mean = std::accumulate(longer.begin(), longer.end(), 0.0) / static_cast<double>(n);
      return {rest(mean), rest(at(low_rank) / std::exp2(below_ / 256.0)),
              rest(at(high_rank) * std::exp2(above_ / 256.0)), static_cast<std::uint32_t>(n),
              static_cast<ClassLevel>(level)};
    }
    return {std::max(seconds(30), Duration{done.raw / 4}), {}, Duration{INT64_MAX}, 0, std::nullopt};
  }

 private:
  // The last 16 of the class, of which those that lasted longer, by length.
  [[nodiscard]] std::vector<double> runs_like(const RunTraits& of, std::size_t level, Duration done) const {
    std::vector<double> longer;
    int taken = 0;
    for (auto run = runs_.rbegin(); run != runs_.rend() && taken < 16; ++run) {
      if (!alike(of, run->first, level)) continue;
      ++taken;
      if (run->second > done) longer.push_back(static_cast<double>(run->second.raw));
    }
    std::ranges::sort(longer);
    return longer;
  }
  // From coarse to fine, each class against the last one before it that is trusted.
  void compare(const RunTraits& of, Duration run_time) {
    std::optional<std::int64_t> off_of_coarser;
    for (std::size_t level = kLevels; level-- > 0;) {
      const std::vector<double> all = runs_like(of, level, {});
      if (all.size() < 2) continue;
      const double mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
      const std::int64_t off = std::abs(static_cast<std::int64_t>(mean) - run_time.raw);
      std::int64_t& kept = behind(of, level);
      if (off_of_coarser) kept = kept * 9 / 10 + (off - *off_of_coarser - *off_of_coarser / 4) / 10;
      if (!off_of_coarser || kept <= 0) off_of_coarser = off;
    }
  }
  std::int64_t& behind(const RunTraits& of, std::size_t level) const {
    const auto same = [&](const auto& each) { return each.level == level && alike(of, each.of, level); };
    const auto known = std::ranges::find_if(behind_, same);
    return known != behind_.end() ? known->behind : behind_.emplace_back(of, level, 0).behind;
  }
  static bool alike(const RunTraits& a, const RunTraits& b, std::size_t level) {
    const bool user = a.user == b.user, size = a.tasks == b.tasks, request = a.requested == b.requested;
    const bool by_level[] = {a == b, user && size && request, user && size, user && request, user, request,
                             true};
    return by_level[level];
  }

  struct Behind {
    RunTraits of;
    std::size_t level;
    std::int64_t behind;
  };
  mutable std::deque<Behind> behind_;
  std::vector<std::pair<RunTraits, Duration>> runs_;
  int below_ = 0, above_ = 0;
};

TEST(RunTimeHistory, predictions_equal_those_of_the_reference) {
  std::mt19937_64 random(7);
  RunTimeHistory history(1'000'000);
  Reference reference;
  std::array<int, kLevels + 1> levels{};
  for (int k = 0; k < 4'000; ++k) {
    const RunTraits job = traits(below(random, 9), 1 + below(random, 3), 60 * (1 + below(random, 3)),
                                 below(random, 2) == 0 ? "cfd" : "md");
    const Duration done = seconds(random() % 3 == 0 ? static_cast<std::int64_t>(random() % 900) : 0);
    const Prediction ours = history.predict(job, done);
    const Prediction theirs = reference.predict(job, done);
    ASSERT_NEAR(to_seconds(ours.rest), to_seconds(theirs.rest), 1e-5) << k;
    ASSERT_EQ(ours.runs, theirs.runs) << k;
    ASSERT_EQ(ours.level, theirs.level) << k;
    ASSERT_NEAR(to_seconds(ours.earliest), to_seconds(theirs.earliest), 1e-5) << k;
    ASSERT_NEAR(to_seconds(ours.latest), to_seconds(theirs.latest), 1e-5) << k;
    ++levels[ours.level ? static_cast<std::size_t>(*ours.level) : kLevels];
    const Prediction said = history.predict(job);
    const Duration run_time{static_cast<std::int64_t>(random() % 1'000 * random() % 1'000 * kMillion)};
    history.learn(job, run_time, SaidInterval{said.earliest, said.latest});
    reference.learn(job, run_time, {said.earliest, said.latest});
  }
  for (const int asked : levels) EXPECT_GT(asked, 0);
}

TEST(RunTimeHistory, a_job_is_expected_to_run_as_long_as_its_like_did_on_average) {
  RunTimeHistory history(100);
  for (const std::int64_t s : {100, 300, 200, 9'000, 250}) history.learn(traits(1, 4, 3'600), seconds(s));
  const Prediction fresh = history.predict(traits(1, 4, 3'600));
  EXPECT_EQ(fresh.rest, seconds(1'970));
  EXPECT_EQ(fresh.earliest, seconds(100));
  EXPECT_EQ(fresh.latest, seconds(9'000));
  EXPECT_EQ(fresh.runs, 5U);
  EXPECT_EQ(fresh.level, ClassLevel::alike);
  // Only 300 and 9,000 lasted longer than 260 s.
  const Prediction later = history.predict(traits(1, 4, 3'600), seconds(260));
  EXPECT_EQ(later.rest, seconds(4'390));
  EXPECT_EQ(later.latest, seconds(8'740));
  EXPECT_EQ(later.runs, 2U);
}

TEST(RunTimeHistory, a_coarser_class_answers_where_too_few_runs_are_known) {
  RunTimeHistory history(100);
  history.learn(traits(1, 4, 60), seconds(50));
  history.learn(traits(1, 8, 90), seconds(70));
  EXPECT_EQ(history.predict(traits(1, 4, 60)).level, ClassLevel::user);
  EXPECT_EQ(history.predict(traits(2, 4, 60)).level, ClassLevel::all);
  history.learn(traits(1, 4, 90), seconds(60));
  EXPECT_EQ(history.predict(traits(1, 4, 60)).level, ClassLevel::user_size);
  EXPECT_EQ(history.predict(traits(1, 2, 90)).level, ClassLevel::user_request);
  EXPECT_EQ(history.predict(traits(2, 2, 90)).level, ClassLevel::request);
  history.learn(traits(1, 4, 60, "cfd"), seconds(55));
  EXPECT_EQ(history.predict(traits(1, 4, 60)).level, ClassLevel::user_size_request);
}

// Two users run now an hour, now a second: the time that they ask for tells which, and nothing else does.
TEST(RunTimeHistory, a_class_that_was_further_off_than_a_coarser_one_is_not_asked) {
  RunTimeHistory history(100);
  std::mt19937_64 random(11);
  for (int k = 0; k < 200; ++k) {
    const bool is_long = below(random, 2) == 0;
    history.learn(traits(1 + below(random, 2), 1 + below(random, 4), is_long ? 3'600 : 60),
                  seconds(is_long ? 3'000 : 3));
  }
  EXPECT_EQ(history.predict(traits(1, 1, 60)).rest, seconds(3));
  EXPECT_EQ(history.predict(traits(1, 9, 3'600)).rest, seconds(3'000));
  EXPECT_EQ(history.predict(traits(1, 1, 7'200)).level, ClassLevel::all)
      << "neither its user nor its size has told more than that";
}

TEST(RunTimeHistory, a_class_is_asked_again_when_it_has_been_nearer_than_a_coarser_one) {
  RunTimeHistory history(100);
  const auto learn = [&](Duration of_others, Duration of_user_1) {
    for (int other = 0; other < 16; ++other) history.learn(traits(2, 1, 0), of_others);
    history.learn(traits(1, 1, 0), of_user_1);
  };
  for (int k = 0; k < 20; ++k) {  // what others have just run tells all, what user 1 ran before nothing
    const Duration now = seconds(k % 2 == 0 ? 100 : 2'000);
    learn(now, now);
  }
  EXPECT_EQ(history.predict(traits(1, 1, 0)).level, ClassLevel::request);
  for (int k = 0; k < 30; ++k) learn(seconds(1'050), seconds(100));
  EXPECT_LE(history.predict(traits(1, 1, 0)).level, ClassLevel::user);
  EXPECT_EQ(history.predict(traits(1, 1, 0)).rest, seconds(100));
}

TEST(RunTimeHistory, the_text_of_a_manager_that_did_not_compare_classes_is_read) {
  const auto read = RunTimeHistory::import_csv(
      "class,account,user,application,tasks,requested_us,runs_us\ninterval,,,,,,9;0\nall,,,,,,7;8\n", 20);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->export_csv(),
            "class,account,user,application,tasks,requested_us,runs_us,behind_us\ninterval,,,,,,9;0,\n"
            "all,,,,,,7;8,\n");
}

TEST(RunTimeHistory, without_a_run_it_says_half_a_minute_or_a_quarter_of_what_has_run) {
  RunTimeHistory history(100);
  EXPECT_EQ(history.predict(traits(1, 1, 0)).rest, seconds(30));
  EXPECT_EQ(history.predict(traits(1, 1, 0), seconds(1'000)).rest, seconds(250));
  EXPECT_EQ(history.predict(traits(1, 1, 0)).runs, 0U);
  history.learn(traits(1, 1, 0), seconds(10));
  history.learn(traits(1, 1, 0), seconds(20));
  EXPECT_EQ(history.predict(traits(1, 1, 0), seconds(1'000)).rest, seconds(250));  // none lasted so long
}

TEST(RunTimeHistory, a_prediction_stays_within_an_enforced_limit) {
  RunTimeHistory history(100);
  for (const std::int64_t s : {100, 200}) history.learn(traits(1, 1, 0), seconds(s));
  const Prediction cut = history.predict(traits(1, 1, 0), seconds(50), seconds(80));
  EXPECT_EQ(cut.rest, seconds(30));
  EXPECT_EQ(cut.earliest, seconds(30));
  EXPECT_EQ(cut.latest, seconds(30));
  EXPECT_EQ(history.predict(traits(1, 1, 0), seconds(90), seconds(80)).rest, Duration{});
  EXPECT_EQ(history.predict(traits(1, 1, 0), {}, seconds(150)).latest, seconds(150));
}

TEST(RunTimeHistory, what_is_older_than_sixteen_runs_is_forgotten) {
  RunTimeHistory history(100);
  for (int k = 0; k < 16; ++k) history.learn(traits(1, 1, 0), seconds(10));
  for (int k = 0; k < 16; ++k) {
    EXPECT_EQ(history.predict(traits(1, 1, 0)).rest * 16, seconds(10 * (16 - k) + 500 * k)) << k;
    history.learn(traits(1, 1, 0), seconds(500));
  }
  EXPECT_EQ(history.predict(traits(1, 1, 0)).earliest, seconds(500));
}

// Run times that drift up and down: the ranks alone would miss many of them.
TEST(RunTimeHistory, the_interval_follows_its_misses_until_it_holds_eight_runs_in_ten) {
  std::mt19937_64 random(3);
  RunTimeHistory history(100);
  int within = 0, wanted = 0;
  for (int k = 0; k < 3'000; ++k) {
    const Prediction said = history.predict(traits(1, 1, 0));
    const double drift = std::exp(3 * std::sin(k / 8.0));
    const auto spread = static_cast<std::int64_t>(50 + random() % 100);
    const Duration run_time{static_cast<std::int64_t>(drift * static_cast<double>(spread) * 1e6)};
    if (k >= 500) ++wanted, within += run_time >= said.earliest && run_time <= said.latest;
    history.learn(traits(1, 1, 0), run_time, SaidInterval{said.earliest, said.latest});
  }
  EXPECT_NEAR(static_cast<double>(within) / wanted, 0.8, 0.05);
}

TEST(RunTimeHistory, it_has_no_more_classes_than_its_limit_and_the_stalest_go_first) {
  RunTimeHistory history(7);
  history.learn(traits(1, 1, 60), seconds(10));
  EXPECT_EQ(history.size(), 7U);
  history.learn(traits(2, 1, 60), seconds(10));
  EXPECT_EQ(history.size(), 7U);
  // All that user 1 has taught alone is gone; what both have in common stays.
  for (const auto& known : history.list()) EXPECT_NE(known.of.traits.user, 1U);
  EXPECT_EQ(history.predict(traits(1, 1, 60)).level, ClassLevel::request);
}

TEST(RunTimeHistory, a_user_is_forgotten) {
  RunTimeHistory history(100);
  for (const std::uint32_t user : {0U, 1U})
    for (int k = 0; k < 2; ++k) history.learn(traits(user, 1, 60), seconds(10));
  EXPECT_EQ(history.forget(5), 0U);
  EXPECT_EQ(history.forget(0), 5U);
  EXPECT_EQ(history.size(), 7U);
  EXPECT_EQ(history.predict(traits(0, 1, 60)).level, ClassLevel::request);
  EXPECT_EQ(history.predict(traits(1, 1, 60)).level, ClassLevel::alike);
}

TEST(RunTimeHistory, an_import_of_the_export_is_the_same_history) {
  std::mt19937_64 random(5);
  RunTimeHistory history(60);
  for (int k = 0; k < 500; ++k) {
    const RunTraits job =
        traits(below(random, 12), 1 + below(random, 3), 60, below(random, 2) == 0 ? "a, b;%" : "cfd");
    const Prediction said = history.predict(job);
    history.learn(job, Duration{static_cast<std::int64_t>(random() % 1'000'000'000)},
                  SaidInterval{said.earliest, said.latest});
  }
  const std::string text = history.export_csv();
  const auto read = RunTimeHistory::import_csv(text, 60);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->list(), history.list());
  EXPECT_EQ(read->export_csv(), text);
  EXPECT_EQ(read->predict(traits(1, 1, 60)).latest, history.predict(traits(1, 1, 60)).latest);
  const auto smaller = RunTimeHistory::import_csv(text, 20);
  ASSERT_TRUE(smaller);
  const auto all = history.list();
  EXPECT_EQ(smaller->list(), std::vector(all.end() - 20, all.end()));
}

TEST(RunTimeHistory, its_text_is_a_csv_file) {
  RunTimeHistory history(100);
  const std::string header = "class,account,user,application,tasks,requested_us,runs_us,behind_us\n";
  EXPECT_EQ(history.export_csv(), header + "interval,,,,,,0;0,\n");
  history.learn({"phys,ics", 3, "./a.out", 4, seconds(60)}, seconds(7),
                SaidInterval{seconds(8), seconds(9)});
  EXPECT_EQ(history.export_csv(), header +
                                      "interval,,,,,,9;0,\n"
                                      "alike,phys%2cics,3,./a.out,4,60000000,7000000,\n"
                                      "user-size-request,,3,,4,60000000,7000000,\n"
                                      "user-size,,3,,4,,7000000,\n"
                                      "user-request,,3,,,60000000,7000000,\n"
                                      "user,,3,,,,7000000,\n"
                                      "request,,,,,60000000,7000000,\n"
                                      "all,,,,,,7000000,\n");
}

TEST(RunTimeHistory, what_cannot_be_read_is_refused_with_its_line) {
  const std::string header = "class,account,user,application,tasks,requested_us,runs_us,behind_us\n";
  const auto refusal = [](const std::string& text) {
    const auto read = RunTimeHistory::import_csv(text, 20);
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_EQ(refusal(header), "accepted");
  EXPECT_TRUE(refusal("").starts_with("line 1: give the header"));
  EXPECT_TRUE(refusal(header + "user,,3,,,,7\nuser,,3\n").starts_with("line 3: give eight fields"));
  EXPECT_TRUE(refusal(header + "user,,3,,,,7\nuser,,3,,,,8\n").starts_with("line 3: this class"));
  EXPECT_TRUE(refusal(header + "user,,3,,2,,7\n").starts_with("line 2: give a class"));
  EXPECT_TRUE(refusal(header + "users,,3,,,,7\n").starts_with("line 2: give a class"));
  EXPECT_TRUE(refusal(header + "alike,%4,3,,,,7\n").starts_with("line 2: give a class"));
  EXPECT_TRUE(refusal(header + "user,,3,,,,\n").starts_with("line 2: give 1 to 16"));
  EXPECT_TRUE(refusal(header + "user,,3,,,,-7\n").starts_with("line 2: give 1 to 16"));
  EXPECT_TRUE(refusal(header + "user,,3,,,,1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1\n").starts_with("line 2: "));
  EXPECT_TRUE(refusal(header + "user,,3,,,,7,x\n").starts_with("line 2: give by how many"));
  EXPECT_TRUE(refusal(header + "interval,,,,,,1\n").starts_with("line 2: give the two steps"));
  EXPECT_TRUE(refusal(header + "interval,,,,,,1;2561\n").starts_with("line 2: give the two steps"));
}

}  // namespace
}  // namespace aliquot::prediction
