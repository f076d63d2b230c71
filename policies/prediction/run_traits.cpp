#include "policies/prediction/run_traits.hpp"

#include <functional>

namespace aliquot::prediction {

RunClass class_of(ClassLevel level, const RunTraits& traits) {
  RunClass made{level, {}};
  RunTraits& kept = made.traits;
  switch (level) {
    case ClassLevel::alike:
      kept = traits;
      break;
    case ClassLevel::user_size_request:
      kept.requested = traits.requested;
      [[fallthrough]];
    case ClassLevel::user_size:
      kept.tasks = traits.tasks;
      kept.user = traits.user;
      break;
    case ClassLevel::user_request:
      kept.requested = traits.requested;
      [[fallthrough]];
    case ClassLevel::user:
      kept.user = traits.user;
      break;
    case ClassLevel::request:
      kept.requested = traits.requested;
      break;
    case ClassLevel::all:
      break;
  }
  return made;
}

std::size_t RunClassHash::operator()(const RunClass& one) const {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t mixed = static_cast<std::uint64_t>(one.level);
  const auto mix = [&mixed](std::uint64_t value) {
    mixed = (mixed ^ value) * odd;
    mixed ^= mixed >> 32;
  };
  mix(one.traits.user);
  mix(one.traits.tasks);
  mix(static_cast<std::uint64_t>(one.traits.requested.raw));
  if (!one.traits.account.empty()) mix(std::hash<std::string>{}(one.traits.account));
  if (!one.traits.application.empty()) mix(std::hash<std::string>{}(one.traits.application));
  return static_cast<std::size_t>(mixed);
}

}  // namespace aliquot::prediction
