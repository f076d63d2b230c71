// Disks that are full or cannot be written: the writer says so once and acknowledges nothing after that.
#include "test/unit/store/child.hpp"
#include "test/unit/store/fixture.hpp"

namespace aliquot::test {
namespace {

// Steps that fill a small disk soon.
Step large_step(std::uint64_t number) {
  Step step = step_numbered(number);
  step.events.push_back(PolicyChanged{std::string(20'000, 'p')});
  return step;
}

std::string fill_the_disk(const std::string& directory) {
  if (auto skip = mount_tmpfs(directory, "size=2m"); !skip.empty()) return skip;
  const std::string path = directory + "/s.db";
  std::uint64_t durable = 0;
  {
    OpenStore open(path);
    if (!open.recovered) return open.recovered.error().message;
    std::uint64_t next = 1;
    for (; open.failed().empty() && next < 10'000; ++next) {
      open.store->append(large_step(next));
      open.store->flush();
    }
    durable = open.durable;
    const auto failures = open.failed();
    if (failures.empty()) return "10,000 steps fitted on a disk of 2 MB";
    if (failures[0].kind != ErrorKind::unavailable ||
        failures[0].message.find("disk is full") == std::string::npos) {
      return failures[0].message;
    }
    for (int i = 0; i < 10; ++i) open.store->append(large_step(next++));
    open.store->flush();
    if (open.failed().size() != 1) return "it failed more than once";
    if (open.durable != durable) return "it acknowledged a step after it had failed";
  }
  // Still full: the next start says the same. Then there is room again, and nothing durable is gone.
  if (mount("aliquot-test", directory.c_str(), "tmpfs", MS_REMOUNT, "size=16m") != 0) return "no remount";
  const OpenStore again(path);
  if (!again.recovered) return again.recovered.error().message;
  if (again.recovered->steps.size() < durable) return "durable steps are gone";
  return durable > 10 ? "" : "too few steps to prove anything: " + std::to_string(durable);
}

TEST(StoreDisk, AFullOneFailsOnceAndLosesNothingDurable) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("small"));
  const std::string said = in_child([&] { return fill_the_disk(directory.file("small")); });
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
