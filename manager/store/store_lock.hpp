// Ensures one manager per store: an advisory lock on a file next to the store, held for the lifetime of
// this object. The kernel releases it when the process ends in any way. The lock file contains the pid of
// the holder, for messages.
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
