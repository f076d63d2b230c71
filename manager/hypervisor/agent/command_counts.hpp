// How many commands of each kind there were, for the log of an agent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "monitor/record/action.hpp"

namespace aliquot::agent {

class CommandCounts {
 public:
  void add(std::span<const Action> actions) {
    for (const Action& action : actions) ++counts_[action.index()];
  }
  // "2 save, 12 create"; "none".
  [[nodiscard]] std::string words() const {
    std::string words;
    for (std::size_t kind = 0; kind < counts_.size(); ++kind)
      if (counts_[kind] > 0)
        words += (words.empty() ? "" : ", ") + std::to_string(counts_[kind]) + " " +
                 std::string(word(static_cast<ActionKind>(kind)));
    return words.empty() ? "none" : words;
  }

 private:
  std::array<std::uint64_t, std::variant_size_v<Action>> counts_{};
};

}  // namespace aliquot::agent
