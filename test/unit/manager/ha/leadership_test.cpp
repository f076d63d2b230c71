// One leads, with an epoch above all before; a leader that cannot renew knows so before another can lead.
#include "manager/ha/leadership.hpp"

#include "test/unit/manager/ha/real_etcd.hpp"

namespace aliquot::ha::test {
namespace {

// Renews no lease while it is deaf.
class DeafEtcd final : public Etcd {
 public:
  DeafEtcd(EtcdSettings settings, std::atomic<int>& unheard, const std::atomic<bool>& deaf)
      : etcd_(std::move(settings)), unheard_(unheard), deaf_(deaf) {}
  Result<TransactionAnswer> transact(const EtcdTransaction& transaction) override {
    return etcd_.transact(transaction);
  }
  Result<LeaseAnswer> grant_lease(std::int64_t ttl_s) override { return etcd_.grant_lease(ttl_s); }
  Result<LeaseAnswer> keep_alive(std::int64_t lease) override {
    if (!deaf_) return etcd_.keep_alive(lease);
    ++unheard_;
    return fail(ErrorKind::unavailable, "it has no leader");
  }
  Result<void> revoke_lease(std::int64_t lease) override { return etcd_.revoke_lease(lease); }
  Result<void> compact(std::int64_t revision) override { return etcd_.compact(revision); }
  void wait(Duration span) override { etcd_.wait(span); }

 private:
  EtcdClient etcd_;
  std::atomic<int>& unheard_;
  const std::atomic<bool>& deaf_;
};

class LeadershipOnEtcd : public OnEtcd {
 protected:
  // A long lease is not lost because the machine is busy with other tests.
  LeaderLease::Parts parts(const std::string& name, Duration ttl) {
    return {.etcd = etcd().opener(),
            .keys = keys(),
            .self = {name, "tcp://" + name + ":1"},
            .ttl = ttl,
            .now = [this] { return since_boot() + Duration{ahead_us_}; }};
  }
  std::unique_ptr<Leadership> leads(const std::string& name, Duration ttl = seconds(30)) {
    auto leadership = Leadership::campaign(parts(name, ttl), [this](const std::string&) { lost_ = true; });
    EXPECT_TRUE(leadership) << leadership.error().message;
    return leadership ? std::move(*leadership) : nullptr;
  }
  bool is_lost_soon() {
    for (int tries = 0; tries < 6000 && !lost_; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return lost_;
  }
  std::atomic<bool> lost_{false};
  std::atomic<std::int64_t> ahead_us_{0};
};

TEST_F(LeadershipOnEtcd, OneLeadsAndGivesItUpAtOnce) {
  auto first = leads("a");
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->surely_leads());
  EXPECT_FALSE(leads("b"));
  const std::int64_t before = first->epoch();
  first.reset();
  const auto second = leads("b");
  ASSERT_TRUE(second);
  EXPECT_GT(second->epoch(), before);
}

TEST_F(LeadershipOnEtcd, TheKeyNamesTheLeaderAndItsCreateRevisionIsTheEpoch) {
  const auto leader = leads("a");
  ASSERT_TRUE(leader);
  const auto found = EtcdClient(etcd().settings()).transact({{}, {Get{keys().leader()}}});
  ASSERT_EQ(found->found.at(0).size(), 1U);
  EXPECT_EQ(found->found[0][0].created, leader->epoch());
  EXPECT_EQ(decode_leader(found->found[0][0].value).name, "a");
  EXPECT_EQ(decode_leader(found->found[0][0].value).address, "tcp://a:1");
  EXPECT_EQ(decode_leader("no JSON").name, "");
}

TEST_F(LeadershipOnEtcd, IsKeptBeyondTheTimeOfTheLease) {
  const auto leader = leads("a", seconds(6));
  ASSERT_TRUE(leader);
  std::this_thread::sleep_for(std::chrono::seconds(8));  // of the lease: what is seen is that it goes on
  EXPECT_TRUE(leader->surely_leads());
  EXPECT_FALSE(leads("b"));
}

TEST_F(LeadershipOnEtcd, IsTriedAgainSoonWhereEtcdDidNotAnswer) {
  std::atomic<int> unheard{0};
  std::atomic<bool> deaf{true};
  LeaderLease::Parts its = parts("a", seconds(12));
  its.etcd = [&](Duration) { return std::make_unique<DeafEtcd>(etcd().settings(), unheard, deaf); };
  const auto leadership = Leadership::campaign(its, [this](const std::string&) { lost_ = true; });
  ASSERT_TRUE(leadership && *leadership);
  const auto comes_true = [&](auto holds) {
    for (int tries = 0; tries < 6000 && !holds() && !lost_; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return holds() && !lost_;
  };
  // Every third of its time would be twice.
  EXPECT_TRUE(comes_true([&] { return unheard >= 4; }));
  deaf = false;
  const Duration left = (*leadership)->left();
  EXPECT_TRUE(comes_true([&] { return (*leadership)->left() > left; }));
}

TEST_F(LeadershipOnEtcd, IsLostWhileEtcdDoesNotAnswerAndStaysLost) {
  const auto leader = leads("a", seconds(2));
  ASSERT_TRUE(leader);
  etcd().pause();
  EXPECT_TRUE(is_lost_soon());
  EXPECT_FALSE(leader->surely_leads());
  etcd().resume();
  EXPECT_FALSE(leader->surely_leads());
}

TEST_F(LeadershipOnEtcd, AfterAPauseOfTheProcessItIsNotHeldFromTheFirstInstantOn) {
  const auto leader = leads("a");
  ASSERT_TRUE(leader);
  ahead_us_ = 40'000'000;  // as after SIGSTOP, a suspended machine, or swapping
  EXPECT_FALSE(leader->surely_leads());
  EXPECT_TRUE(is_lost_soon());
}

TEST_F(LeadershipOnEtcd, AnOldEpochWritesNothing) {
  const auto leader = leads("a");
  ASSERT_TRUE(leader);
  EtcdClient client(etcd().settings());
  ASSERT_TRUE(client.transact({{}, {Erase{keys().leader()}}}));
  EXPECT_TRUE(leads("b")) << "the key is free";
  const auto stale = client.transact({{leader->condition()}, {Put{keys().batch(1), "x"}}});
  ASSERT_TRUE(stale);
  EXPECT_FALSE(stale->succeeded) << "an old epoch writes nothing";
}

}  // namespace
}  // namespace aliquot::ha::test
