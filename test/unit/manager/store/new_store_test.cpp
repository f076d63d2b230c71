// A store that is made from a state instead of a history: the manager continues from it.
#include "manager/store/new_store.hpp"

#include "manager/store/durable_mark.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::test {
namespace {

ClockRow run(std::uint64_t epoch) { return {epoch, {}, 42, "boot", 1}; }

TEST(NewStore, IsContinuedByTheManager) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("state/s.db");
  CoreState state = state_after(0);
  ASSERT_TRUE(make_store(path, {"0123abcd", run(7)}, state));
  {
    OpenStore open(path);
    ASSERT_TRUE(open.recovered) << open.recovered.error().message;
    EXPECT_EQ(open.recovered->cluster_id, "0123abcd");
    EXPECT_EQ(open.recovered->epoch, 8U) << "a start after the first one: every VM is looked at";
    ASSERT_EQ(open.recovered->clocks.size(), 1U);
    EXPECT_EQ(open.recovered->clocks[0].offset_us, 42);
    ASSERT_TRUE(open.recovered->snapshot);
    EXPECT_EQ(open.recovered->snapshot->records.size(), state.records.size());
    open.append(1, 3);
    EXPECT_EQ(open.wait_until_durable(3), "");
  }
  const OpenStore again(path);
  ASSERT_TRUE(again.recovered) << again.recovered.error().message;
  EXPECT_EQ(again.recovered->steps.size(), 3U);
}

TEST(NewStore, ReplacesNoStore) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  ASSERT_TRUE(make_store(path, {"a", run(1)}, state_after(0)));
  const auto refused = make_store(path, {"b", run(1)}, state_after(0));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_EQ(OpenStore(path).recovered->cluster_id, "a");
}

// Such as a manager leaves that was refused because the spool is that of another cluster.
TEST(NewStore, ReplacesAStoreThatWasNeverUsed) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  {
    SqliteStore refused(
        path, {}, [](const std::string&) -> Result<void> { return fail(ErrorKind::refused, "planted"); });
    ASSERT_FALSE(refused.recover());
  }
  ASSERT_TRUE(std::filesystem::exists(path));
  ASSERT_TRUE(make_store(path, {"a", run(1)}, state_after(0)));
  EXPECT_EQ(OpenStore(path).recovered->cluster_id, "a");
}

// It would be taken for a store that is cut off.
TEST(NewStore, IsNotHeldToTheMarkOfTheLostOne) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  ASSERT_TRUE(DurableMark::open(path, "a", 1000));
  ASSERT_TRUE(make_store(path, {"a", run(1)}, state_after(0)));
  const OpenStore open(path);
  EXPECT_TRUE(open.recovered) << open.recovered.error().message;
}

}  // namespace
}  // namespace aliquot::test
