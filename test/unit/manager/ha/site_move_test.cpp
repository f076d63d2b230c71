// A site moves from the store of one manager to etcd and back, whole; not while a manager runs, and not
// over what is there already.
#include "manager/ha/site_move.hpp"

#include <filesystem>

#include "manager/ha/presence.hpp"
#include "manager/ha/shared_log.hpp"
#include "manager/store/maintenance.hpp"
#include "test/unit/manager/ha/real_etcd.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::ha::test {
namespace {

using aliquot::test::OpenStore;
using aliquot::test::TemporaryDirectory;

class SiteMove : public OnEtcd {
 protected:
  LeaderLease::Parts parts() {
    return {.etcd = etcd().opener(), .keys = keys(), .self = {"a", "a"}, .ttl = seconds(30)};
  }
  void fill(std::uint64_t first, std::uint64_t last) {
    const OpenStore alone(store_);
    ASSERT_TRUE(alone.recovered) << alone.recovered.error().message;
    alone.append(first, last);
    alone.store->flush();
  }
  LogView log() { return *SharedLog(etcd().opener(), keys()).read(0); }

  const TemporaryDirectory directory_;
  const std::string store_ = directory_.file("aliquot.db");
};

TEST_F(SiteMove, ThereAndBackAndThereAgain) {
  for (std::uint64_t step = 1; step < 40; step += 20) {
    fill(step, step + 19);
    const auto there = move_to_etcd(store_, parts());
    ASSERT_TRUE(there) << there.error().message;
    EXPECT_EQ(there->last_step, step + 19);
    EXPECT_TRUE(log().has_base);
    EXPECT_FALSE(log().leader);
    EXPECT_FALSE(std::filesystem::exists(store_ + ".read-back"));

    const auto back = move_from_etcd(store_, parts());
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->cluster, there->cluster);
    EXPECT_EQ(back->last_step, step + 19);
    EXPECT_TRUE(log().is_empty());
  }
  EXPECT_EQ(check_store(store_)->last_step, 40U);
}

// As with that of a standby whose machine was lost.
TEST_F(SiteMove, BackIntoANewStore) {
  fill(1, 30);
  const auto there = move_to_etcd(store_, parts());
  ASSERT_TRUE(there) << there.error().message;
  const std::string other = directory_.file("other/aliquot.db");
  const auto back = move_from_etcd(other, parts());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->cluster, there->cluster);
  const OpenStore alone(other);
  ASSERT_TRUE(alone.recovered) << alone.recovered.error().message;
  EXPECT_EQ(alone.recovered->steps.size(), 30U);
}

TEST_F(SiteMove, NotWhileAManagerUsesTheStoreOrLeadsOrStandsBy) {
  fill(1, 3);
  {
    const OpenStore used(store_);
    EXPECT_EQ(move_to_etcd(store_, parts()).error().kind, ErrorKind::conflict);
  }
  {
    const auto leader = LeaderLease::campaign(parts());
    ASSERT_TRUE(leader && *leader);
    EXPECT_NE(move_to_etcd(store_, parts()).error().message.find("manager a leads"), std::string::npos);
  }
  {
    Presence standby(etcd().opener(), keys(), {"b", "b"});
    standby.tell(1, true);
    EXPECT_NE(move_to_etcd(store_, parts()).error().message.find("b stands by"), std::string::npos);
  }
  EXPECT_TRUE(move_to_etcd(store_, parts()));
  const auto leader = LeaderLease::campaign(parts());
  ASSERT_TRUE(leader && *leader);
  EXPECT_EQ(move_from_etcd(store_, parts()).error().kind, ErrorKind::conflict);
  EXPECT_FALSE(log().is_empty());
}

TEST_F(SiteMove, NotOverAnotherLogAndNotFromNone) {
  EXPECT_EQ(move_from_etcd(store_, parts()).error().kind, ErrorKind::not_found);
  fill(1, 3);
  EXPECT_TRUE(move_to_etcd(store_, parts()));
  EXPECT_EQ(move_to_etcd(store_, parts()).error().kind, ErrorKind::conflict);
}

TEST_F(SiteMove, NotIntoAStoreThatHasGoneOnAlone) {
  fill(1, 3);
  EXPECT_TRUE(move_to_etcd(store_, parts()));
  fill(4, 5);
  EXPECT_EQ(move_from_etcd(store_, parts()).error().kind, ErrorKind::refused);
  EXPECT_FALSE(log().is_empty());
}

}  // namespace
}  // namespace aliquot::ha::test
