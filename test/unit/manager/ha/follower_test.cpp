// A store that follows the log in etcd and leads when no other does: what was durable once is there.
#include "manager/ha/follower.hpp"

#include <condition_variable>
#include <functional>
#include <utility>
#include <variant>

#include "manager/ha/log_keeper.hpp"
#include "test/unit/manager/ha/real_etcd.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::ha::test {
namespace {

using aliquot::test::OpenStore;
using aliquot::test::TemporaryDirectory;

// Something happens before the first transaction that has a lease, which is that of a new leader.
class Delayed final : public Etcd {
 public:
  Delayed(std::unique_ptr<Etcd> etcd, std::function<void()>& before_claim)
      : etcd_(std::move(etcd)), before_claim_(before_claim) {}
  Result<TransactionAnswer> transact(const EtcdTransaction& transaction) override {
    for (const Operation& one : transaction.then)
      if (const auto* put = std::get_if<Put>(&one); put != nullptr && put->lease != 0 && before_claim_)
        std::exchange(before_claim_, nullptr)();
    return etcd_->transact(transaction);
  }
  Result<LeaseAnswer> grant_lease(std::int64_t ttl_s) override { return etcd_->grant_lease(ttl_s); }
  Result<LeaseAnswer> keep_alive(std::int64_t lease) override { return etcd_->keep_alive(lease); }
  Result<void> revoke_lease(std::int64_t lease) override { return etcd_->revoke_lease(lease); }
  Result<void> compact(std::int64_t revision) override { return etcd_->compact(revision); }
  void wait(Duration span) override { etcd_->wait(span); }

 private:
  const std::unique_ptr<Etcd> etcd_;
  std::function<void()>& before_claim_;
};

// A manager that stands by until it leads, and then has a store.
class Member {
 public:
  Member(const OpenEtcd& etcd, Keys keys, const std::string& store, const std::string& name)
      : etcd_(etcd), keys_(std::move(keys)), store_(store) {
    auto follower = Follower::open(
        store, {{.etcd = etcd_, .keys = keys_, .self = {name, name}, .ttl = seconds(30)}, {}, [this] {
                  ended_ = true;
                }});
    EXPECT_TRUE(follower) << follower.error().message;
    follower_ = std::move(*follower);
  }
  [[nodiscard]] const Follower& follower() const { return *follower_; }

  bool leads_soon() {
    for (int tries = 0; tries < 6000 && !ended_; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (!ended_) return false;
    auto taken = follower_->take();
    if (!taken) return failure_ = taken.error(), false;
    leadership_ = std::move(*taken);
    follower_.reset();
    log_.emplace(etcd_, keys_, [this] { return leadership_->surely_leads(); });
    replication_ = {
        [this](const ChangeBatch& batch) { return log_->append(leadership_->condition(), batch); },
        [this] { return leadership_->surely_leads(); }, static_cast<std::uint64_t>(leadership_->epoch())};
    open_ = std::make_unique<OpenStore>(store_, Retention{}, Store::Blocked{}, &replication_);
    EXPECT_TRUE(open_->recovered) << open_->recovered.error().message;
    return true;
  }
  // As of a process that is killed, but for the lease, which is given up.
  void end() {
    open_.reset();
    leadership_.reset();
    follower_.reset();
  }
  OpenStore& open() { return *open_; }
  Leadership& leadership() { return *leadership_; }
  [[nodiscard]] const std::string& store() const { return store_; }
  [[nodiscard]] const Error& failure() const { return failure_; }
  bool has_all_soon(std::uint64_t batch) {
    for (int tries = 0; tries < 6000 && follower_->state().batch < batch; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return follower_->state().batch >= batch;
  }

 private:
  OpenEtcd etcd_;
  Keys keys_;
  std::string store_;
  std::atomic<bool> ended_{false};
  std::unique_ptr<Follower> follower_;
  std::unique_ptr<Leadership> leadership_;
  std::optional<SharedLog> log_;
  Replication replication_;
  std::unique_ptr<OpenStore> open_;
  Error failure_;
};

class FollowerOnEtcd : public OnEtcd {
 protected:
  std::unique_ptr<Member> member(const std::string& name) {
    return std::make_unique<Member>(etcd().opener(), keys(), directory_.file(name + ".db"), name);
  }
  std::uint64_t newest() { return SharedLog(etcd().opener(), keys()).read(0)->newest; }
  const TemporaryDirectory directory_;
};

TEST_F(FollowerOnEtcd, TheStandbyGoesOnWithEveryStepThatWasDurable) {
  const auto a = member("a");
  ASSERT_TRUE(a->leads_soon());
  const auto b = member("b");
  a->open().append(1, 50);
  EXPECT_EQ(a->open().wait_until_durable(50), "");
  EXPECT_TRUE(b->has_all_soon(newest()));
  EXPECT_EQ(b->follower().state().leader->name, "a");
  const std::uint64_t epoch = a->open().recovered->epoch;
  a->end();
  ASSERT_TRUE(b->leads_soon());
  EXPECT_EQ(b->open().recovered->steps.size(), 50U);
  EXPECT_EQ(b->open().recovered->cluster_id.size(), 32U);
  EXPECT_GT(b->open().recovered->epoch, epoch);
  EXPECT_EQ(b->open().recovered->epoch, static_cast<std::uint64_t>(b->leadership().epoch()));
  b->open().append(51, 60);
  EXPECT_EQ(b->open().wait_until_durable(60), "");
}

TEST_F(FollowerOnEtcd, WhatAnotherLeaderWroteBetweenTheLookAndTheClaimIsThereHoweverMuchItIs) {
  constexpr std::uint64_t kSteps = 70;  // more than are read at once
  std::function<void()> another_leads = [this] {
    const auto a = member("a");
    ASSERT_TRUE(a->leads_soon());
    for (std::uint64_t step = 1; step <= kSteps; ++step) {
      a->open().append(step, step);
      a->open().store->flush();
    }
    a->end();
  };
  const auto delayed = [open = etcd().opener(), &another_leads](Duration patience) {
    return std::make_unique<Delayed>(open(patience), another_leads);
  };
  Member b(delayed, keys(), directory_.file("b.db"), "b");
  ASSERT_TRUE(b.leads_soon()) << b.failure().message;
  EXPECT_EQ(b.open().recovered->steps.size(), kSteps);
}

TEST_F(FollowerOnEtcd, ALongBatchGoesInPieces) {
  const auto a = member("a");
  ASSERT_TRUE(a->leads_soon());
  a->open().store->keep_nodes(std::string(3 << 20, 'n'));
  a->open().append(1, 1);
  EXPECT_EQ(a->open().wait_until_durable(1), "");
  a->end();
  const auto b = member("b");
  ASSERT_TRUE(b->leads_soon()) << b->failure().message;
  EXPECT_EQ(b->open().recovered->nodes.size(), std::size_t{3} << 20);
}

TEST_F(FollowerOnEtcd, AStoreThatOneManagerAloneHasUsedBeginsTheLog) {
  {
    const OpenStore alone(directory_.file("a.db"));
    alone.append(1, 30);
    alone.store->flush();
  }
  const auto a = member("a");
  ASSERT_TRUE(a->leads_soon()) << a->failure().message;
  EXPECT_EQ(a->open().recovered->steps.size(), 30U);
  a->open().append(31, 32);
  a->open().store->flush();
  const auto b = member("b");
  EXPECT_TRUE(b->has_all_soon(newest()));
  a->end();
  ASSERT_TRUE(b->leads_soon());
  EXPECT_EQ(b->open().recovered->steps.size(), 32U);
}

TEST_F(FollowerOnEtcd, AStoreThatWasUsedAloneDoesNotFollowAnother) {
  const auto a = member("a");
  ASSERT_TRUE(a->leads_soon());
  {
    const OpenStore alone(directory_.file("b.db"));
    alone.append(1, 3);
  }
  const auto b = member("b");
  EXPECT_FALSE(b->leads_soon());
  EXPECT_EQ(b->failure().kind, ErrorKind::refused);
}

TEST_F(FollowerOnEtcd, AStoreThatEtcdDoesNotKnowIsNotLostSilently) {
  const auto a = member("a");
  ASSERT_TRUE(a->leads_soon());
  a->open().append(1, 3);
  a->open().store->flush();
  a->end();
  EtcdClient client(etcd().settings());
  ASSERT_TRUE(client.transact({{}, {Erase{keys().batch(0), keys().end_of_log()}}}));
  const auto again = member("a");
  EXPECT_FALSE(again->leads_soon());
  EXPECT_EQ(again->failure().kind, ErrorKind::refused);
}

TEST_F(FollowerOnEtcd, ACopyCutsTheLogAndANewStandbyBeginsWithIt) {
  const auto a = member("a");
  ASSERT_TRUE(a->leads_soon());
  {
    std::mutex mutex;
    std::condition_variable said;
    std::string line;
    LogKeeper keeper({etcd().opener(),
                      keys(),
                      a->leadership(),
                      a->store(),
                      [&](const std::string& text) {
                        const std::lock_guard lock(mutex);
                        line = text;
                        said.notify_all();
                      },
                      {.bytes = 1000, .batches = 1000}});
    a->open().append(1, 20);
    a->open().store->flush();
    keeper.appended(2000);
    std::unique_lock lock(mutex);
    said.wait_for(lock, std::chrono::seconds(60), [&] { return !line.empty(); });
    EXPECT_EQ(line.find("log_cut"), 0U) << line;
  }
  const auto view = SharedLog(etcd().opener(), keys()).read(0);
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->next.empty());
  EXPECT_EQ(view->base, newest());
  a->open().append(21, 25);
  a->open().store->flush();
  const auto b = member("b");
  EXPECT_TRUE(b->has_all_soon(newest()));
  a->end();
  ASSERT_TRUE(b->leads_soon()) << b->failure().message;
  EXPECT_EQ(b->open().recovered->steps.size(), 25U);
}

TEST(StandbyNotice, SaysWhetherItIsHotWhichAnEarlierVersionDoesNot) {
  const StandbyNotice told{"b", "tcp://b.example.org:7447", 3, false};
  EXPECT_EQ(decode_standby(encode_standby(told)), told);
  EXPECT_EQ(decode_standby(R"({"name":"b","address":"b","batch":3})"), (StandbyNotice{"b", "b", 3, {}}));
}

// Else a log whose leaders change often would never be cut.
TEST_F(FollowerOnEtcd, TheBatchesOfTheLeadersBeforeCount) {
  const auto a = member("a");
  ASSERT_TRUE(a->leads_soon());
  for (std::uint64_t step = 1; step <= 5; ++step) {
    a->open().append(step, step);
    a->open().store->flush();
  }
  SharedLog log(etcd().opener(), keys());
  const std::uint64_t length = *log.length();
  EXPECT_GE(length, 5U);
  const LogKeeper keeper({.etcd = etcd().opener(),
                          .keys = keys(),
                          .leadership = a->leadership(),
                          .store = a->store(),
                          .say = [](const std::string&) {},
                          .limits = {.batches = length},
                          .batches = length});
  for (int tries = 0; tries < 6000 && *log.length() > 0; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(*log.length(), 0U);
}

TEST_F(FollowerOnEtcd, TheSameBatchTwiceIsOnceAndOthersOfItsNumberAreRefused) {
  auto won = Leadership::campaign(
      {.etcd = etcd().opener(), .keys = keys(), .self = {"a", "a"}, .ttl = seconds(30)}, {});
  ASSERT_TRUE(won && *won);
  SharedLog log(etcd().opener(), keys());
  const ChangeBatch batch{1, 10, "c", "changes"};
  EXPECT_TRUE(log.append((*won)->condition(), batch));
  EXPECT_TRUE(log.append((*won)->condition(), batch));
  EXPECT_EQ(log.append((*won)->condition(), {1, 10, "c", "others"}).error().kind, ErrorKind::conflict);
  CreatedAt stale = (*won)->condition();
  stale.revision -= 1;
  EXPECT_EQ(log.append(stale, {2, 10, "c", "x"}).error().kind, ErrorKind::not_leader);
}

}  // namespace
}  // namespace aliquot::ha::test
