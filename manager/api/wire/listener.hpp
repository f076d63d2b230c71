// A socket that listens, in a set of epoll. It may take so many connections per second only: then others
// wait in the kernel, and cost nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "manager/api/wire/token_bucket.hpp"

namespace aliquot {

class Listener {
 public:
  // What happens on it comes with this number out of the set.
  static constexpr std::uint64_t kId = 0;

  // Takes the socket. Without `per_s` it takes as many as come.
  Listener(int socket, int epoll, std::optional<std::uint32_t> per_s);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  // The next connection, which does not wait; -1: none now, errno says why.
  [[nodiscard]] int accept();
  // May others come again? To be called often.
  void look();

 private:
  const int socket_;
  const int epoll_;
  std::optional<TokenBucket> bucket_;
  bool waits_ = false;
};

}  // namespace aliquot
