// That this manager leads (leader_lease.hpp), as long as it can: one thread renews the lease, another one
// counts its time.
//
// A lease that was not renewed in time is lost for good: `lost` is called once, on a thread of this object,
// at the instant from which another manager may lead.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "manager/ha/leader_lease.hpp"

namespace aliquot::ha {

class Leadership {
 public:
  using Lost = std::function<void(const std::string& why)>;
  // Null: another manager leads.
  [[nodiscard]] static Result<std::unique_ptr<Leadership>> campaign(LeaderLease::Parts parts, Lost lost);

  Leadership(std::shared_ptr<LeaderLease> lease, Lost lost);
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;
  // Gives the leadership up, unless the lease has another owner.
  ~Leadership();

  [[nodiscard]] std::int64_t epoch() const { return lease_->epoch(); }
  // Any thread. Once false, it stays false.
  [[nodiscard]] bool surely_leads() const { return lease_->surely_leads(); }
  // So long it surely leads without a further renewal. Any thread.
  [[nodiscard]] Duration left() const { return lease_->left(); }
  [[nodiscard]] CreatedAt condition() const { return lease_->condition(); }

 private:
  void renew();
  void watch();
  void lose(const std::string& why);
  [[nodiscard]] bool wait(Duration span);  // false: it is over

  const std::shared_ptr<LeaderLease> lease_;
  const Lost tell_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  bool lost_ = false;
  std::thread renewing_;
  std::thread watching_;
};

}  // namespace aliquot::ha
