// Whether the CPU need of a job is what its user has declared, or is learned by watching its VMs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace aliquot::needs {

enum class NeedMode : std::uint8_t {
  declared,    // as the user says
  learned,     // what its tasks are seen to use; never more than declared
  learned_up,  // and more than that where a probe shows that they use it, up to their virtual CPUs
};

inline constexpr std::array<std::string_view, 3> kModeNames{"declared", "learned", "learned-up"};

[[nodiscard]] constexpr std::string_view name_of(NeedMode mode) {
  return kModeNames[static_cast<std::size_t>(mode)];
}
[[nodiscard]] constexpr std::optional<NeedMode> mode_named(std::string_view name) {
  for (std::size_t i = 0; i < kModeNames.size(); ++i)
    if (kModeNames[i] == name) return static_cast<NeedMode>(i);
  return std::nullopt;
}

}  // namespace aliquot::needs
