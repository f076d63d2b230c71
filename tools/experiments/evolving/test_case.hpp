// A test case of the paper: applications with random evolution profiles, all queued at time 0 (Klein and
// Perez, "Towards Scheduling Evolving Applications", 2011, sec. 5.1).
//
// 15 to 20 applications of 1 to 10 steps, each of 500 to 3,600 s (whole seconds) and 1 to 75 nodes, all
// uniform. Draws are from Chance by the seed, by counter: applications do not influence each other.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/evolving/profile.hpp"

namespace aliquot::evolving {

// No cluster of fewer nodes can run every test case.
inline constexpr std::int64_t kWidestStep = 75;

[[nodiscard]] std::vector<EvolutionProfile> random_test_case(std::uint64_t seed);
// So many applications of the same kind; of a test case's seed they are the same and more.
[[nodiscard]] std::vector<EvolutionProfile> random_applications(std::uint64_t seed, std::uint64_t count);

}  // namespace aliquot::evolving
