// A bounded number of bytes, of which each user may hold a part. May be called by any thread; a reservation
// may outlive the budget.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace aliquot {

class ByteBudget {
 public:
  ByteBudget(std::size_t in_all, std::size_t of_user)
      : ledger_(std::make_shared<Ledger>(in_all, of_user)) {}

  // Gives its bytes back when the last copy goes.
  using Reservation = std::shared_ptr<const void>;
  // None while others hold too much. A request above the part of a user is never granted.
  [[nodiscard]] Reservation reserve(std::uint32_t uid, std::size_t bytes) {
    const std::lock_guard lock(ledger_->mutex);
    const auto at = ledger_->users.find(uid);
    const std::size_t own = at == ledger_->users.end() ? 0 : at->second;
    if (ledger_->held + bytes > ledger_->in_all || own + bytes > ledger_->of_user) return {};
    ledger_->users[uid] = own + bytes;
    ledger_->held += bytes;
    return {ledger_.get(), [ledger = ledger_, uid, bytes](const void*) { ledger->give_back(uid, bytes); }};
  }
  [[nodiscard]] std::size_t held() const {
    const std::lock_guard lock(ledger_->mutex);
    return ledger_->held;
  }

 private:
  struct Ledger {
    Ledger(std::size_t all, std::size_t user) : in_all(all), of_user(user) {}
    void give_back(std::uint32_t uid, std::size_t bytes) {
      const std::lock_guard lock(mutex);
      held -= bytes;
      const auto at = users.find(uid);
      at->second -= bytes;
      if (at->second == 0) users.erase(at);
    }
    std::mutex mutex;
    const std::size_t in_all;
    const std::size_t of_user;
    std::size_t held = 0;
    std::map<std::uint32_t, std::size_t> users;  // that hold bytes
  };
  std::shared_ptr<Ledger> ledger_;
};

}  // namespace aliquot
