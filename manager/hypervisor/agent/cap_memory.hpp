// The caps of VMs as they were last asked for: a VM that is moved by way of its image gets its own again.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <variant>

#include "monitor/record/action.hpp"

namespace aliquot::agent {

class CapMemory {
 public:
  void note(const Action& action) {
    std::visit(
        [this](const auto& a) {
          if constexpr (requires { a.yield; })
            for (std::uint32_t i = 0; i < a.tasks.count; ++i) caps_[{a.job, a.tasks.first + i}] = a.yield;
        },
        action);
  }
  // The core sets the caps of VMs again that it has found after a start. What is moved before that is slow
  // until then, and takes nothing from others.
  [[nodiscard]] Yield of(JobId job, std::uint32_t task) const {
    constexpr Yield least{10'000};
    const auto known = caps_.find({job, task});
    return known == caps_.end() ? least : known->second;
  }
  void forget(JobId job) { caps_.erase(caps_.lower_bound({job, 0}), caps_.upper_bound({job, UINT32_MAX})); }

 private:
  std::map<std::pair<JobId, std::uint32_t>, Yield> caps_;
};

}  // namespace aliquot::agent
