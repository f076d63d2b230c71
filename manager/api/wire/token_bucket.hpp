// How often something may happen: so many times per second, and after a pause a few more at once. Belongs
// to one thread, which says what time it is.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace aliquot {

class TokenBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static Time now() { return std::chrono::steady_clock::now(); }

  TokenBucket(double per_s, double at_once) : per_s_(per_s), at_once_(at_once), tokens_(at_once) {}

  // Whether it may happen now; then it has happened.
  [[nodiscard]] bool take(Time now) {
    fill(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }
  // How long until it may; 0: now.
  [[nodiscard]] std::chrono::milliseconds wait(Time now) {
    fill(now);
    const double missing = std::max(0.0, 1 - tokens_);
    return std::chrono::milliseconds(static_cast<std::int64_t>(missing / per_s_ * 1000 + 0.999));
  }

 private:
  void fill(Time now) {
    if (filled_ != Time{} && now > filled_)
      tokens_ = std::min(at_once_, tokens_ + std::chrono::duration<double>(now - filled_).count() * per_s_);
    filled_ = now;
  }

  double per_s_;
  double at_once_;
  double tokens_;
  Time filled_{};
};

}  // namespace aliquot
