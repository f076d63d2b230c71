// That a manager stands by, and up to which batch its store has the log, in a key of etcd that ends with
// it.
//
// Belongs to one thread. What cannot be told is told later: it is for people to see.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "manager/ha/leader_lease.hpp"

namespace aliquot::ha {

// The value of the key.
struct StandbyNotice {
  std::string name;
  std::string address;
  std::uint64_t batch = 0;  // the newest that its store has
};
[[nodiscard]] std::string encode_standby(const StandbyNotice& standby);
[[nodiscard]] StandbyNotice decode_standby(std::string_view text);  // of something else: without a name

class Presence {
 public:
  Presence(OpenEtcd open, Keys keys, const LeaderNotice& self)
      : open_(std::move(open)), keys_(std::move(keys)), self_{self.name, self.address} {}
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;
  ~Presence();

  // Writes at most once a second, and nothing if nothing has changed: what is written makes etcd larger.
  void tell(std::uint64_t batch);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool renew(Clock::time_point now);

  const OpenEtcd open_;
  const Keys keys_;
  StandbyNotice self_;
  std::unique_ptr<Etcd> etcd_;
  std::optional<std::int64_t> lease_;
  std::optional<std::uint64_t> told_;
  Clock::time_point renewed_;
  Clock::time_point wrote_;
};

}  // namespace aliquot::ha
