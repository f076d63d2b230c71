// Which member of etcd is defragmented next, and an etcd of three members that is, while another client
// writes and a leader keeps its lease.
#include "manager/ha/defragmentation.hpp"

#include <algorithm>
#include <atomic>

#include "manager/ha/leadership.hpp"
#include "test/unit/manager/ha/real_etcd.hpp"

namespace aliquot::ha::test {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

MemberStatus member(const std::string& id, std::int64_t mib, std::int64_t used_mib) {
  return {.version = "3.4.23",
          .db_bytes = mib * kMiB,
          .has_leader = true,
          .id = id,
          .db_bytes_in_use = used_mib * kMiB};
}

// Of which the first leads etcd; all could be smaller.
std::vector<MemberStatus> three() {
  std::vector<MemberStatus> members{member("a", 200, 20), member("b", 200, 20), member("c", 200, 20)};
  members[0].leads = true;
  return members;
}

std::optional<DefragmentationStep> next(const std::vector<MemberStatus>& members,
                                        const std::set<std::string>& had_their_turn = {}) {
  return next_step(members, had_their_turn, 64 * kMiB);
}

TEST(Defragmentation, TakesMembersInTurnAndTheOneThatLeadsLast) {
  EXPECT_EQ(next(three()), DefragmentationStep{1});
  EXPECT_EQ(next(three(), {"b"}), DefragmentationStep{2});
  EXPECT_EQ(next(three(), {"b", "c"}), (DefragmentationStep{0, "b"}));
  EXPECT_EQ(next(three(), {"a", "b", "c"}), std::nullopt);
}

TEST(Defragmentation, IsForMembersOfWhichMuchIsFree) {
  auto members = three();
  members[1] = member("b", 200, 100);
  members[2] = member("c", 60, 1);
  EXPECT_EQ(next(members), (DefragmentationStep{0, "b"}));
  members[1] = member("b", 200, 99);
  EXPECT_EQ(next(members), DefragmentationStep{1});
  members[1] = member("b", 200, 0);
  EXPECT_EQ(next(members), (DefragmentationStep{0, "b"})) << "it does not say how much is in use";
}

TEST(Defragmentation, NeedsAllMembersAndALeader) {
  auto members = three();
  members[2].has_leader = false;
  EXPECT_EQ(next(members), std::nullopt);
  members = three();
  members[0].leads = false;
  EXPECT_EQ(next(members), std::nullopt) << "etcd is just choosing one";
  members = three();
  members[2].id = "b";
  EXPECT_EQ(next(members), std::nullopt) << "two endpoints of one member";
  members = three();
  members.pop_back();
  EXPECT_EQ(next(members), std::nullopt) << "of two members none can be spared";
}

// What another client of the process sees meanwhile.
class Traffic {
 public:
  explicit Traffic(const EtcdSettings& settings) : client_(settings), thread_([this] { run(); }) {}
  ~Traffic() { end(); }
  void end() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] double longest_s() const { return longest_s_; }
  [[nodiscard]] int failed() const { return failed_; }

 private:
  void run() {
    while (!stopping_) {
      const auto began = std::chrono::steady_clock::now();
      while (!client_.transact({{}, {Put{"/traffic", "x"}}}) && !stopping_) {
        ++failed_;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      longest_s_ = std::max(longest_s_.load(), took.count());
    }
  }
  EtcdClient client_;
  std::atomic<bool> stopping_{false};
  std::atomic<double> longest_s_{0};
  std::atomic<int> failed_{0};
  std::thread thread_;
};

bool have_at_most(EtcdClient& client, std::int64_t bytes) {
  return std::ranges::all_of(client.statuses(), [&](const Result<MemberStatus>& status) {
    return status && status->db_bytes <= bytes;
  });
}

bool have_free(EtcdClient& client, std::int64_t bytes) {
  return std::ranges::all_of(client.statuses(), [&](const Result<MemberStatus>& status) {
    return status && status->db_bytes_free() >= bytes;
  });
}

std::size_t leading(EtcdClient& client) {
  const auto all = client.statuses();
  const auto at = std::ranges::find_if(all, [](const auto& status) { return status && status->leads; });
  return static_cast<std::size_t>(at - all.begin());
}

void wait_for(const std::function<bool()>& what) {
  for (int tries = 0; tries < 1200 && !what(); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

// As much as this is written and removed again.
void leave_free(EtcdClient& client, std::int64_t mib) {
  const std::string half(std::size_t{512} << 10, 'x');
  for (std::int64_t i = 0; i < 2 * mib; ++i)
    ASSERT_TRUE(client.transact({{}, {Put{"/free/" + std::to_string(i), half}}}));
  const auto erased = client.transact({{}, {Erase{"/free/", "/free0"}}});
  ASSERT_TRUE(erased);
  ASSERT_TRUE(client.compact(erased->revision));
  // Pages are free when something was written after they were given up.
  wait_for([&] {
    return client.transact({{}, {Put{"/free", "x"}}}) && have_free(client, mib * kMiB * 3 / 4);
  });
}

class DefragmentationOnEtcd : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RealEtcd::is_installed()) GTEST_SKIP() << "etcd is not installed (apt-get install etcd-server)";
    etcd_ = std::make_unique<RealEtcd>(3);
    wait_for([&] { return leading(client()) < 3; });
  }
  [[nodiscard]] EtcdClient& client() {
    if (!client_) client_ = std::make_unique<EtcdClient>(etcd_->settings());
    return *client_;
  }
  void begin(Defragmentation::Limits limits = {16 * kMiB, Duration{100'000}, Duration{100'000}}) {
    defragmentation_ =
        std::make_unique<Defragmentation>(Defragmentation::Parts{etcd_->settings(), busy_,
                                                                 [this](const std::string& line) {
                                                                   const std::lock_guard lock(mutex_);
                                                                   said_.push_back(line);
                                                                 },
                                                                 limits});
  }
  [[nodiscard]] std::size_t said(const std::string& begin) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::ranges::count_if(said_, [&](const std::string& line) { return line.starts_with(begin); }));
  }

  std::unique_ptr<RealEtcd> etcd_;
  std::unique_ptr<EtcdClient> client_;
  const std::shared_ptr<BusyEndpoint> busy_ = std::make_shared<BusyEndpoint>();
  std::mutex mutex_;
  std::vector<std::string> said_;
  std::unique_ptr<Defragmentation> defragmentation_;
};

TEST_F(DefragmentationOnEtcd, AllMembersGetSmallerAndNothingStalls) {
  leave_free(client(), 40);
  ASSERT_FALSE(have_at_most(client(), 20 * kMiB));
  EtcdSettings of_others = etcd_->settings();
  of_others.busy = busy_;
  std::atomic<bool> lost = false;
  const auto leads =
      Leadership::campaign({.etcd = etcd_at(of_others), .keys = Keys("/d"), .self = {"a", ""}},
                           [&](const std::string&) { lost = true; });
  ASSERT_TRUE(leads);
  Traffic traffic(of_others);
  begin();
  wait_for([&] { return said("etcd_defragmented") == 3; });
  traffic.end();
  EXPECT_EQ(said("etcd_defragmented"), 3U);
  EXPECT_EQ(said("etcd_leadership_moved"), 1U);
  EXPECT_EQ(said("etcd_not_defragmented"), 0U);
  EXPECT_TRUE(have_at_most(client(), 20 * kMiB));
  EXPECT_FALSE(lost);
  RecordProperty("longest_write_ms", static_cast<int>(1000 * traffic.longest_s()));
  EXPECT_LT(traffic.longest_s(), 2.0) << traffic.failed() << " writes failed";
}

TEST_F(DefragmentationOnEtcd, WaitsForAMemberThatDoesNotAnswer) {
  leave_free(client(), 24);
  const std::size_t stopped = (leading(client()) + 1) % 3;
  etcd_->pause(stopped);
  begin();
  std::this_thread::sleep_for(std::chrono::seconds(3));
  EXPECT_EQ(said("etcd_"), 0U);
  etcd_->resume(stopped);
  wait_for([&] { return said("etcd_defragmented") == 3; });
  EXPECT_EQ(said("etcd_defragmented"), 3U);
}

TEST_F(DefragmentationOnEtcd, EndsWithoutAWaitForAMember) {
  leave_free(client(), 24);
  begin({16 * kMiB, Duration{100'000}, seconds(3600)});
  wait_for([&] { return said("etcd_defragmented") == 1; });
  const auto began = std::chrono::steady_clock::now();
  defragmentation_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(3));
}

}  // namespace
}  // namespace aliquot::ha::test
