// A real aliquotd, in a process of its own, with a node that never answers: jobs are taken and wait. All
// its files are in a temporary directory, which goes with it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "policies/model/error.hpp"
#include "tools/bench/hostile/hostile_client.hpp"

namespace aliquot::siege {

class BesiegedDaemon {
 public:
  explicit BesiegedDaemon(std::string program);
  BesiegedDaemon(const BesiegedDaemon&) = delete;
  BesiegedDaemon& operator=(const BesiegedDaemon&) = delete;
  ~BesiegedDaemon();

  // Returns when it answers.
  [[nodiscard]] Result<void> start();
  void kill();
  [[nodiscard]] bool runs() const;
  [[nodiscard]] const Target& target() const { return target_; }
  // The most memory that it has had resident, in bytes.
  [[nodiscard]] std::int64_t memory_peak() const;

 private:
  std::string program_;
  std::string directory_;
  Target target_;
  pid_t pid_ = -1;
};

}  // namespace aliquot::siege
