// The manager's mode and its words: off, advise, auto.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/event.hpp"

namespace aliquot::wire {

[[nodiscard]] inline const std::vector<std::string>& mode_words() {
  static const std::vector<std::string> words{"off", "advise", "auto"};  // in the order of Mode
  return words;
}
[[nodiscard]] inline std::string mode_word(Mode mode) {
  return mode_words()[static_cast<std::size_t>(mode)];
}
[[nodiscard]] inline std::optional<Mode> mode_of(std::string_view word) {
  for (const Mode mode : {Mode::off, Mode::advise, Mode::automatic})
    if (mode_word(mode) == word) return mode;
  return std::nullopt;
}

}  // namespace aliquot::wire
