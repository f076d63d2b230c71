// The figures that the paper printed, for comparison with ours; no result of this program. Klein and Perez,
// "Towards Scheduling Evolving Applications", 2011, Tables 1 and 2, without its times of a laptop of 2011.
//
// In the order of kAlgorithms. What the paper gives as a fraction of rigid's is in per cent here.
#pragma once

#include <array>

#include "tools/experiments/evolving/measures.hpp"

namespace aliquot::evolving {

// Least, average and most over 1,000 tests. The averages are truncated, not rounded.
struct PublishedRange {
  double least = 0;
  double average = 0;
  double most = 0;
};

// The paper's "epsilon": more than 0, and less than 1.
inline constexpr double kEpsilon = 1e-9;

struct PublishedMeasure {
  Measure measure;
  std::array<PublishedRange, kAlgorithms.size()> rows;
};

inline constexpr std::array<PublishedMeasure, 4> kTable1 = {{
    {Measure::waste, {{{43, 70, 116}, {0, 0, 0}, {0, 2, 11}, {0, kEpsilon, 4}, {0, 7, 22}, {0, 1, 11}}}},
    {Measure::utilisation,
     {{{100, 100, 100}, {46, 58, 69}, {47, 60, 71}, {46, 59, 70}, {49, 63, 78}, {46, 59, 71}}}},
    {Measure::effective_utilisation,
     {{{30, 40, 51}, {49, 61, 73}, {50, 63, 75}, {53, 63, 75}, {52, 64, 73}, {55, 64, 74}}}},
    {Measure::makespan,
     {{{100, 100, 100}, {49, 65, 82}, {48, 64, 82}, {48, 63, 82}, {49, 63, 78}, {47, 62, 78}}}},
}};

inline constexpr std::array<PublishedMeasure, 5> kTable2 = {{
    {Measure::completion,
     {{{100, 100, 100}, {42, 61, 84}, {45, 61, 84}, {44, 60, 84}, {43, 62, 81}, {44, 60, 81}}}},
    {Measure::waiting,
     {{{100, 100, 100}, {36, 55, 81}, {36, 54, 80}, {37, 54, 81}, {27, 53, 76}, {35, 53, 76}}}},
    {Measure::expanded, {{{0, 0, 0}, {0, 0, 0}, {0, 22, 56}, {0, 7, 40}, {0, 26, 62}, {0, 13, 47}}}},
    {Measure::expansion,
     {{{0, 0, 0}, {0, 0, 0}, {0, 4, 76}, {0, kEpsilon, 60}, {0, 19, 884}, {0, 5, 1354}}}},
    {Measure::application_waste,
     {{{0, 67, 681}, {0, 0, 0}, {0, 2, 75}, {0, kEpsilon, 41}, {0, 6, 360}, {0, 1, 119}}}},
}};

}  // namespace aliquot::evolving
