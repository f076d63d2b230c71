// What is known of a job before it runs that may tell how long it will run, and the classes of jobs that
// have some of it in common: those whose run times are remembered together.
//
// Classes go from fine to coarse. Which traits a level keeps was measured on the HPC2N log
// (docs/predictions.md): the size of a job says more about its run time than the time its user asked for.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "policies/model/time.hpp"

namespace aliquot::prediction {

struct RunTraits {
  std::string account;
  std::uint32_t user = 0;
  std::string application;  // its executable or its name; empty: not known
  std::uint32_t tasks = 1;
  Duration requested{};  // the run time that its user asked for; 0: none
  friend bool operator==(const RunTraits&, const RunTraits&) = default;
};

enum class ClassLevel : std::uint8_t {
  alike,
  user_size_request,
  user_size,
  user_request,
  user,
  request,
  all
};
inline constexpr std::size_t kLevels = 7;
// For tables, answers and the CSV, by level.
inline constexpr std::array<std::string_view, kLevels> kLevelNames = {
    "alike", "user-size-request", "user-size", "user-request", "user", "request", "all"};
[[nodiscard]] constexpr std::string_view name(ClassLevel level) {
  return kLevelNames[static_cast<std::size_t>(level)];
}

// The jobs of a level that agree in the traits that the level keeps; the other traits are at their default.
struct RunClass {
  ClassLevel level = ClassLevel::all;
  RunTraits traits;
  friend bool operator==(const RunClass&, const RunClass&) = default;
};
[[nodiscard]] RunClass class_of(ClassLevel level, const RunTraits& traits);

struct RunClassHash {
  [[nodiscard]] std::size_t operator()(const RunClass& one) const;
};

}  // namespace aliquot::prediction
