// That a manager stands by, up to which batch its store has the log, and whether it is hot, in a key of
// etcd that ends with it.
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
  std::uint64_t batch = 0;    // the newest that its store has
  std::optional<bool> hot{};  // none: its version does not say
  friend bool operator==(const StandbyNotice&, const StandbyNotice&) = default;
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
  void tell(std::uint64_t batch, bool hot);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool renew(Clock::time_point now);

  const OpenEtcd open_;
  const Keys keys_;
  StandbyNotice self_;
  std::unique_ptr<Etcd> etcd_;
  std::optional<std::int64_t> lease_;
  std::optional<StandbyNotice> told_;
  Clock::time_point renewed_;
  Clock::time_point wrote_;
};

}  // namespace aliquot::ha
