// Disks that are full or cannot be written: nothing is acknowledged that is not on them, and the reason is
// said.
#include "test/unit/manager/store/child.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::test {
namespace {

// Steps that fill a small disk soon.
Step large_step(std::uint64_t number) {
  Step step = step_numbered(number);
  step.events.push_back(PolicyChanged{std::string(20'000, 'p')});
  return step;
}

// What a store said of its disk.
struct Reports {
  std::atomic<int> blocked{0};
  std::atomic<int> free_again{0};
  std::mutex mutex;
  std::string why;

  void operator()(const std::optional<Error>& error) {
    if (!error) {
      ++free_again;
      return;
    }
    const std::lock_guard lock(mutex);
    why = error->message;
    ++blocked;
  }
};

// Appends until the disk is full; the number of the next step.
std::uint64_t fill(OpenStore& open, const Reports& reports) {
  std::uint64_t next = 1;
  for (; reports.blocked == 0 && open.failed().empty() && next < 10'000; ++next) {
    open.store->append(large_step(next));
    open.store->flush();
  }
  return next;
}

std::string wait_for_space(const std::string& directory) {
  if (auto skip = mount_tmpfs(directory, "size=2m"); !skip.empty()) return skip;
  const std::string path = directory + "/s.db";
  Reports reports;
  std::uint64_t next = 0;
  {
    OpenStore open(path, {}, [&](const std::optional<Error>& error) { reports(error); });
    if (!open.recovered) return open.recovered.error().message;
    next = fill(open, reports);
    const std::uint64_t durable = open.durable;
    if (!open.failed().empty()) return "it failed: " + open.failed()[0].message;
    if (reports.blocked != 1) return "10,000 steps fitted on a disk of 2 MB";
    if (reports.why.find("disk is full") == std::string::npos) return reports.why;
    for (int i = 0; i < 10; ++i) open.store->append(large_step(next++));
    // Of what is said again and again the newest waits.
    open.store->keep_cpu({}, {{7, {"lab", 1}, {seconds(1), {}}}, {8, {"lab", 1}, {seconds(2), {}}}});
    open.store->keep_cpu({}, {{8, {"lab", 1}, {seconds(3), {}}}, {8, {"lab", 2}, {seconds(4), {}}}});
    open.store->flush();
    if (open.durable != durable) return "it acknowledged a step on the full disk";
    if (durable <= 10) return "too few steps to prove anything: " + std::to_string(durable);
    if (mount("aliquot-test", directory.c_str(), "tmpfs", MS_REMOUNT, "size=64m") != 0) return "no remount";
    if (auto wrong = open.wait_until_durable(next - 1); !wrong.empty()) return wrong;
    if (reports.blocked != 1 || reports.free_again != 1) return "it did not say once that there is room";
  }
  const OpenStore again(path);
  if (!again.recovered) return again.recovered.error().message;
  const CpuByUser hours{{{"lab", 1}, {seconds(1 + 3), {}}}, {{"lab", 2}, {seconds(4), {}}}};
  if (again.store->cpu_between(7, 9) != hours) return "hours are gone";
  return again.recovered->steps.size() == next - 1 ? "" : "steps are gone";
}

TEST(StoreDisk, AFullOneIsWaitedForAndNothingIsAcknowledgedMeanwhile) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("small"));
  const std::string said = in_child([&] { return wait_for_space(directory.file("small")); });
  if (said.starts_with("skip: ")) GTEST_SKIP() << said;
  EXPECT_EQ(said, "");
}

// What was acknowledged is there when there is room again.
std::string stop_on_a_full_disk(const std::string& directory) {
  if (auto skip = mount_tmpfs(directory, "size=2m"); !skip.empty()) return skip;
  const std::string path = directory + "/s.db";
  std::uint64_t durable = 0;
  {
    Reports reports;
    OpenStore open(path, {}, [&](const std::optional<Error>& error) { reports(error); });
    if (!open.recovered) return open.recovered.error().message;
    fill(open, reports);
    durable = open.durable;
  }
  if (mount("aliquot-test", directory.c_str(), "tmpfs", MS_REMOUNT, "size=16m") != 0) return "no remount";
  const OpenStore again(path);
  if (!again.recovered) return again.recovered.error().message;
  return again.recovered->steps.size() == durable ? "" : "it has other steps than those it acknowledged";
}

TEST(StoreDisk, AManagerStopsOnAFullOneAndLosesNothingThatWasAcknowledged) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("small"));
  const std::string said = in_child([&] { return stop_on_a_full_disk(directory.file("small")); });
  if (said.starts_with("skip: ")) GTEST_SKIP() << said;
  EXPECT_EQ(said, "");
}

std::string open_read_only(const std::string& directory) {
  if (auto skip = mount_tmpfs(directory, "size=4m"); !skip.empty()) return skip;
  const std::string path = directory + "/s.db";
  {
    const OpenStore open(path);
    open.append(1, 5);
  }
  if (mount("aliquot-test", directory.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) != 0)
    return "no remount";
  SqliteStore store(path);
  const auto recovered = store.recover();
  if (recovered) return "a read-only store was opened";
  const bool clear = recovered.error().kind == ErrorKind::unavailable &&
                     recovered.error().message.find("Read-only file system") != std::string::npos;
  return clear ? "" : recovered.error().message;
}

TEST(StoreDisk, AReadOnlyOneIsRefusedAtTheStart) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("small"));
  const std::string said = in_child([&] { return open_read_only(directory.file("small")); });
  if (said.starts_with("skip: ")) GTEST_SKIP() << said;
  EXPECT_EQ(said, "");
}

}  // namespace
}  // namespace aliquot::test
