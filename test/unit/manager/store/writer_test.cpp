// The writer's groups: what comes while it writes is committed together, in order, and said once.
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <thread>

#include "manager/store/sqlite_db.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::test {
namespace {

using Clock = std::chrono::steady_clock;

TEST(StoreWriter, CommitsInOneGroupWhatCameMeanwhile) {
  const TemporaryDirectory directory;
  std::mutex mutex;
  std::condition_variable changed;
  bool open_gate = false;
  std::vector<std::uint64_t> said;
  SqliteStore store(directory.file("s.db"));
  ASSERT_TRUE(store.recover());
  store.start(
      [&](std::uint64_t step) {
        std::unique_lock lock(mutex);
        said.push_back(step);
        changed.notify_all();
        changed.wait(lock, [&] { return open_gate; });
      },
      [](const Error& error) { ADD_FAILURE() << error.message; });
  store.append(step_numbered(1));
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !said.empty(); });
  }
  for (std::uint64_t number = 2; number <= 300; ++number) store.append(step_numbered(number));
  {
    const std::lock_guard lock(mutex);
    open_gate = true;
  }
  changed.notify_all();
  store.flush();
  EXPECT_EQ(said, (std::vector<std::uint64_t>{1, 300}));
}

TEST(StoreWriter, CommitsAnAnswerWithTheStepThatFollowsIt) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  OpenStore open(path);
  const auto on_disk = [&] {
    const auto db = Db::open(path, Db::Access::read_only);
    return db->integer("SELECT count(*) FROM answers").value();
  };
  open.append(1, 1);
  open.store->flush();
  open.store->remember_answer({1000, "k"}, {"hash", "reply"});
  open.append(2, 2);
  ASSERT_EQ(open.wait_until_durable(2), "");
  EXPECT_EQ(on_disk(), 1);
  // And without one, soon all the same.
  open.store->remember_answer({1000, "alone"}, {"hash", "reply"});
  const auto patience = Clock::now() + std::chrono::seconds(20);
  while (on_disk() < 2 && Clock::now() < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(on_disk(), 2);
}

TEST(StoreWriter, ClosingWritesWhatIsQueued) {
  const TemporaryDirectory directory;
  {
    const OpenStore open(directory.file("s.db"));
    open.append(1, 2000);
  }
  const OpenStore again(directory.file("s.db"));
  EXPECT_EQ(again.recovered->steps.size(), 2000U);
}

// Figures for people, no verdict: they depend on the disk.
TEST(StoreWriter, SaysHowFastThisDiskIs) {
  const TemporaryDirectory directory;
  OpenStore open(directory.file("s.db"));
  const auto alone = Clock::now();
  for (std::uint64_t number = 1; number <= 50; ++number) {
    open.store->append(step_numbered(number));
    open.store->flush();
  }
  const auto grouped = Clock::now();
  open.append(51, 5050);
  open.store->flush();
  const auto end = Clock::now();
  const auto seconds_of = [](auto span) { return std::chrono::duration<double>(span).count(); };
  std::cout << "commit of one step: " << seconds_of(grouped - alone) / 50 * 1e3
            << " ms; in groups: " << 5000 / seconds_of(end - grouped) << " steps/s in " << open.groups - 50
            << " commits\n";
  CoreState state = state_after(5050);
  Random random(1);
  for (JobId id{0}; state.view.jobs.size() < 10'000; ++id.raw) {  // some are there already
    state.view.jobs[id] = random.make<Job>();
    state.view.jobs[id].id = id;
    state.records[id] = random.make<JobRecord>();
  }
  const auto before = Clock::now();
  open.store->snapshot(std::move(state));
  open.append(5051, 5051);
  ASSERT_EQ(open.wait_until_durable(5051), "");
  const auto acknowledged = Clock::now();
  open.store->flush();
  std::cout << "snapshot of 10,000 jobs: " << seconds_of(Clock::now() - before)
            << " s, a step meanwhile: " << seconds_of(acknowledged - before) << " s\n";
  EXPECT_TRUE(open.failed().empty());
  EXPECT_LT(open.groups, 50 + 5000);
}

}  // namespace
}  // namespace aliquot::test
