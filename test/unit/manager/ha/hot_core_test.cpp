// The core of a standby is what a restart would make of its store, bit for bit, or it is cold and says so.
#include "manager/hot_core.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "manager/recovery.hpp"
#include "manager/store/recovery.hpp"
#include "manager/store/replica.hpp"
#include "manager/store/sqlite_store.hpp"
#include "manager/store/state_codec.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/unit/manager/ha/working_core.hpp"

namespace aliquot::ha::test {
namespace {

std::unique_ptr<Scheduler> restarted(const Db& store) {
  auto recovered = read_state(store);
  EXPECT_TRUE(recovered) << recovered.error().message;
  auto scheduler = recover_scheduler(std::move(*recovered), {}, {});
  EXPECT_TRUE(scheduler) << scheduler.error().message;
  return std::move(*scheduler);
}

std::string text_of(const Scheduler& scheduler) { return encode_state(scheduler.cluster().state()); }

// A leader with its store, whose batches a standby takes.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : random_(seed) {
    EXPECT_TRUE(store_.recover());
    store_.start([](std::uint64_t) {}, [](const Error& error) { ADD_FAILURE() << error.message; });
  }
  void work(std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps; ++i) {
      store_.append(leader_.step());
      tell();
    }
  }
  // Until the standby has it.
  void tell() {
    store_.flush();
    for (; taken_ < batches_.size(); ++taken_) {
      EXPECT_TRUE(replica_.apply(batches_[taken_]));
      hot.follow(replica_.db(), StoreNews::batch);
    }
  }
  void snapshot(CoreState state) {
    store_.snapshot(std::move(state));
    tell();
  }
  [[nodiscard]] bool is_as_after_a_restart() {
    const auto taken = hot.take();
    return taken && text_of(*taken) == text_of(*restarted(store())) &&
           text_of(*taken) == encode_state(state());
  }
  [[nodiscard]] const CoreState& state() const { return leader_.state(); }
  [[nodiscard]] const Db& store() const { return replica_.db(); }
  [[nodiscard]] std::string said(const std::string& word) const {
    const auto found =
        std::ranges::find_if(lines_, [&](const auto& line) { return line.starts_with(word); });
    return found == lines_.end() ? "" : *found;
  }
  void execute(const std::string& sql) {
    EXPECT_TRUE(Db::open(directory_.file("b.db"), Db::Access::create)->execute(sql.c_str(), "test"));
  }

 private:
  const aliquot::test::TemporaryDirectory directory_{in_memory()};
  std::mt19937_64 random_;
  std::vector<ChangeBatch> batches_;
  std::size_t taken_ = 0;
  const Replication replication_{[this](const ChangeBatch& batch) -> Result<void> {
                                   batches_.push_back(batch);
                                   return {};
                                 },
                                 [] { return true; }, 7};
  SqliteStore store_{directory_.file("a.db"), {}, {}, &replication_};
  Replica replica_ = std::move(*Replica::open(directory_.file("b.db")));
  const Settings settings_;
  std::vector<std::string> lines_;
  WorkingCore leader_{*recover_scheduler({}, settings_, {}),
                      [this](std::uint64_t below) { return random_() % below; }};

 public:
  HotCore hot{settings_, [this](LogLevel, const std::string& line) { lines_.push_back(line); }};
};

TEST(HotCore, IsAfterEachStepWhatARestartWouldMakeOfTheStore) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Pair pair(seed);
    pair.work(seed * 10);
    if (seed % 3 == 0) pair.snapshot(pair.state());
    pair.work(seed % 4);
    EXPECT_TRUE(pair.is_as_after_a_restart()) << "seed " << seed;
    const auto runs = [](const auto& job) { return job.second.phase == Phase::running; };
    EXPECT_TRUE(std::ranges::any_of(pair.state().view.jobs, runs)) << "else it proves little";
    EXPECT_EQ(pair.said("standby_cold") + pair.said("standby_differs"), "");
  }
}

TEST(HotCore, GoesOnWhereTheSnapshotOfTheLeaderIsItsOwnState) {
  Pair pair(1);
  pair.work(kSnapshotEvery);
  const CoreState then = pair.state();
  pair.work(3);
  pair.snapshot(then);
  pair.work(2);
  EXPECT_EQ(pair.said("standby_differs"), "");
  EXPECT_TRUE(pair.is_as_after_a_restart());
}

TEST(HotCore, TakesTheSnapshotOfTheLeaderWhereItIsAnother) {
  Pair pair(1);
  pair.work(kSnapshotEvery);
  CoreState then = pair.state();
  then.message.text = "what the standby does not know";
  pair.work(3);
  pair.snapshot(then);
  EXPECT_NE(pair.said("standby_differs step=1000"), "");
  const auto taken = pair.hot.take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->cluster().state().message.text, then.message.text);
  EXPECT_EQ(text_of(*taken), text_of(*restarted(pair.store())));
}

TEST(HotCore, IsColdAfterAStepThatItCannotReadUntilTheNextSnapshot) {
  Pair pair(1);
  pair.work(5);
  pair.execute("INSERT INTO steps VALUES(6, 0, 'of a newer version')");
  EXPECT_FALSE(pair.hot.follow(pair.store(), StoreNews::batch));
  EXPECT_NE(pair.said("standby_cold"), "");
  EXPECT_FALSE(pair.hot.take());
  pair.execute("DELETE FROM steps WHERE number = 6");
  pair.work(2);
  EXPECT_FALSE(pair.hot.take()) << "it does not try again with the same snapshot";
  pair.snapshot(pair.state());
  EXPECT_TRUE(pair.is_as_after_a_restart());
}

TEST(HotCore, IsColdAfterAStepThatIsMissing) {
  Pair pair(1);
  pair.work(5);
  pair.execute("INSERT INTO steps VALUES(7, 0, '')");
  EXPECT_FALSE(pair.hot.follow(pair.store(), StoreNews::batch));
  EXPECT_NE(pair.said("standby_cold").find("after step 5"), std::string::npos);
  EXPECT_FALSE(pair.hot.take());
}

TEST(HotCore, BeginsAnewWithAStoreThatHasTakenThePlaceOfItsOwn) {
  Pair pair(1);
  Pair other(2);
  pair.work(20);
  other.work(30);
  EXPECT_TRUE(pair.hot.follow(other.store(), StoreNews::all));
  const auto taken = pair.hot.take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(text_of(*taken), encode_state(other.state()));
}

// A manager that takes over goes on with it, unless the store has gone on meanwhile.
TEST(HotCore, IsGoneOnWithWhereTheStoreEndsWithItsStep) {
  Pair pair(1);
  pair.work(20);
  auto hot = pair.hot.take();
  ASSERT_TRUE(hot);
  const Scheduler* const same = hot.get();
  auto recovered = read_state(pair.store(), newest_step(*hot));
  ASSERT_TRUE(recovered);
  EXPECT_TRUE(recovered->is_known && recovered->steps.empty() && !recovered->snapshot);
  EXPECT_EQ(recovered->last, pair.state().view.now);
  const JobId newest{pair.state().next_job.raw - 1};
  auto went_on = go_on_with(std::move(hot), std::move(*recovered), {}, newest);
  ASSERT_TRUE(went_on);
  EXPECT_EQ(went_on->get(), same);

  const KnownStep earlier = newest_step(**went_on);
  pair.work(1);
  recovered = read_state(pair.store(), earlier);
  ASSERT_TRUE(recovered);
  EXPECT_FALSE(recovered->is_known);
  went_on = go_on_with(std::move(*went_on), std::move(*recovered), {}, newest);
  ASSERT_TRUE(went_on);
  EXPECT_EQ(text_of(**went_on), encode_state(pair.state()));
}

// The spool has files of jobs that the store does not know.
TEST(HotCore, GivesNewJobsNumbersAboveThoseOfTheSpool) {
  Pair pair(1);
  pair.work(20);
  auto hot = pair.hot.take();
  ASSERT_TRUE(hot);
  auto recovered = read_state(pair.store(), newest_step(*hot));
  ASSERT_TRUE(recovered);
  const auto went_on = go_on_with(std::move(hot), std::move(*recovered), {}, {5000});
  ASSERT_TRUE(went_on);
  EXPECT_EQ((*went_on)->cluster().state().next_job, JobId{5001});
  EXPECT_EQ((*went_on)->cluster().state().steps, pair.state().steps);
}

}  // namespace
}  // namespace aliquot::ha::test
