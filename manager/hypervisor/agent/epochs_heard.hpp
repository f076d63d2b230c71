// The highest epoch in which the manager of each cluster has spoken to an agent, in a file that outlives
// the agent: a manager whose epoch is over is not obeyed, whatever has started anew meanwhile.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "policies/model/error.hpp"

namespace aliquot::agent {

class EpochsHeard {
 public:
  // `file` empty: they are forgotten with this object.
  [[nodiscard]] static Result<EpochsHeard> open(std::string file);

  // 0: of this cluster none was heard.
  [[nodiscard]] std::uint64_t highest(const std::string& cluster) const;
  // On disk when it returns. ErrorKind::not_leader: a higher one was heard. kStoreIsLost begins anew.
  [[nodiscard]] Result<void> hear(const std::string& cluster, std::uint64_t epoch);

 private:
  explicit EpochsHeard(std::string file) : file_(std::move(file)) {}

  std::string file_;
  std::map<std::string, std::uint64_t> epochs_;  // by cluster
};

}  // namespace aliquot::agent
