// Has members of etcd give back the disk space that their databases have and do not use: what is compacted
// is used again, but the file of a database shrinks only when it is defragmented. Works on a thread of its
// own, of the manager that leads.
//
// A member that is being defragmented answers nothing else. So it is one at a time, only while all members
// of at least three read, and while other clients of this process ask other members. The member that
// leads etcd comes last, and hands that to another one before: leases are renewed through it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "manager/ha/etcd_client.hpp"

namespace aliquot::ha {

struct DefragmentationStep {
  std::size_t endpoint = 0;           // whose member is defragmented
  std::optional<std::string> heir{};  // or hands the leadership of etcd to this one first
  friend bool operator==(const DefragmentationStep&, const DefragmentationStep&) = default;
};
// What is to be done next, if anything is: `members` by endpoint, of all that etcd has; those that have had
// their turn are not asked again. A member is worth it that has more than half of its database free, and at
// least so much.
[[nodiscard]] std::optional<DefragmentationStep> next_step(const std::vector<MemberStatus>& members,
                                                           const std::set<std::string>& had_their_turn,
                                                           std::int64_t least_free);

class Defragmentation {
 public:
  struct Limits {
    std::int64_t least_free = std::int64_t{64} << 20;
    Duration look_every = seconds(30);
    Duration rest = seconds(5);                // between two members
    Duration turn_every = seconds(24 * 3600);  // of a member
    Duration longest = seconds(1800);
  };
  struct Parts {
    EtcdSettings etcd;                   // its endpoints are all members, each once
    std::shared_ptr<BusyEndpoint> busy;  // of other clients
    std::function<void(const std::string&)> say;
    Limits limits{};
  };
  explicit Defragmentation(Parts parts);
  Defragmentation(const Defragmentation&) = delete;
  Defragmentation& operator=(const Defragmentation&) = delete;
  // Does not wait for a member, which goes on by itself.
  ~Defragmentation();

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  // True: something was done.
  [[nodiscard]] bool look();
  [[nodiscard]] std::optional<std::vector<MemberStatus>> all_members();
  void carry_out(const DefragmentationStep& step, const MemberStatus& before);
  void defragment(std::size_t endpoint, const MemberStatus& before);
  [[nodiscard]] std::set<std::string> had_their_turn();
  [[nodiscard]] bool wait(Duration span);  // false: it is over
  [[nodiscard]] bool is_stopping() const;

  const Parts parts_;
  EtcdClient etcd_;
  EtcdClient patient_;
  std::map<std::string, Clock::time_point> turns_;  // by member
  std::optional<Clock::time_point> moved_;          // the leadership of etcd
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace aliquot::ha
