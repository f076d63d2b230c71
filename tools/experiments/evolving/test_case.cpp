#include "tools/experiments/evolving/test_case.hpp"

#include "manager/hypervisor/model/chance.hpp"

namespace aliquot::evolving {
namespace {

enum Purpose : std::uint64_t { applications, steps, duration, nodes };

}  // namespace

std::vector<EvolutionProfile> random_test_case(std::uint64_t seed) {
  const auto more = static_cast<std::uint64_t>(Chance(seed).up_to(5, 0, 0, Purpose::applications));
  return random_applications(seed, 15 + more);
}

std::vector<EvolutionProfile> random_applications(std::uint64_t seed, std::uint64_t count) {
  const Chance chance(seed);
  std::vector<EvolutionProfile> made;
  for (std::uint64_t a = 0; a < count; ++a) {
    std::vector<ProfileStep> profile;
    const auto length = static_cast<std::uint64_t>(1 + chance.up_to(9, a, 0, Purpose::steps));
    for (std::uint64_t i = 0; i < length; ++i)
      profile.push_back({seconds(500 + chance.up_to(3'100, a, i, Purpose::duration)),
                         1 + chance.up_to(kWidestStep - 1, a, i, Purpose::nodes)});
    made.push_back(EvolutionProfile::of(std::move(profile)).value());
  }
  return made;
}

}  // namespace aliquot::evolving
