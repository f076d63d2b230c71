// One manager per state: an advisory lock beside the store file, held as long as this object lives and
// given up by the kernel however the process ends. The lock file carries the holder's pid, for messages.
#pragma once

#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

class StoreLock {
 public:
  // Of `<store>.lock`. An Error of kind conflict names the process that holds it.
  [[nodiscard]] static Result<StoreLock> take(const std::string& store);

  StoreLock(StoreLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  StoreLock& operator=(StoreLock&&) = delete;
  ~StoreLock();

 private:
  explicit StoreLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace aliquot
