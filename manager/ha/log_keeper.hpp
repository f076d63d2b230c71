// Keeps the log in etcd short: when enough has been written since the last copy of the store, the leader
// writes another, and the batches that it has are removed. Works on a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "manager/ha/leadership.hpp"
#include "manager/ha/shared_log.hpp"

namespace aliquot::ha {

class LogKeeper {
 public:
  struct Limits {
    std::uint64_t bytes = std::uint64_t{64} << 20;
    std::uint64_t batches = 20'000;
  };
  struct Parts {
    OpenEtcd etcd;
    Keys keys;
    const Leadership& leadership;  // outlives this
    std::string store;             // path
    std::function<void(const std::string&)> say;
    Limits limits{};
    std::uint64_t batches = 0;  // that the log has already, from the leaders before
  };
  explicit LogKeeper(Parts parts);
  LogKeeper(const LogKeeper&) = delete;
  LogKeeper& operator=(const LogKeeper&) = delete;
  ~LogKeeper();

  // A batch of so many bytes was appended. Any thread.
  void appended(std::size_t bytes);

 private:
  void run();
  void write_copy();

  Parts parts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t bytes_ = 0;
  std::uint64_t batches_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace aliquot::ha
