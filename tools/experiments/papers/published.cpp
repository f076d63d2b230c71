#include "tools/experiments/papers/published.hpp"

#include <algorithm>

namespace aliquot {
namespace {

// Table II: loads of 0.7 and more.
constexpr PublishedCosts kGreedyPmtn{
    {{{0.10, 0.27}, {0.00, 0.00}, {12.26, 39.24}, {0.00, 0.00}, {1.26, 4.44}, {0.00, 0.00}}}};
constexpr PublishedCosts kGreedyPmtnMigr{
    {{{0.05, 0.14}, {0.03, 0.12}, {5.42, 20.88}, {8.99, 34.56}, {0.58, 2.64}, {0.90, 2.58}}}};
constexpr PublishedCosts kDynmcb8{
    {{{0.53, 1.48}, {1.46, 2.90}, {84.99, 294.48}, {604.55, 1329.84}, {9.32, 23.61}, {71.54, 110.19}}}};
constexpr PublishedCosts kPer{
    {{{0.60, 1.31}, {0.26, 0.77}, {45.58, 110.16}, {48.80, 141.84}, {7.63, 32.32}, {6.18, 20.77}}}};
constexpr PublishedCosts kAsapPer{
    {{{0.59, 1.34}, {0.27, 0.77}, {44.05, 105.84}, {49.16, 142.92}, {7.33, 30.87}, {6.08, 20.35}}}};
constexpr PublishedCosts kStretchPer{
    {{{0.38, 0.87}, {0.51, 1.11}, {33.78, 76.32}, {88.32, 197.64}, {7.15, 27.68}, {16.11, 40.61}}}};

}  // namespace

const std::vector<PublishedRow>& published_rows() {
  // Table I: scaled synthetic, unscaled synthetic, HPC2N.
  static const std::vector<PublishedRow> rows = {
      {"FCFS", {435.32, 239.37, 1470.30}, {448.74, 238.38, 1128.44}, {469.51, 581.12, 4422.00}},
      {"EASY", {392.78, 227.85, 1454.26}, {410.06, 226.41, 989.91}, {402.93, 500.13, 3136.92}},
      {"EASY-LEGACY", {392.78, 227.85, 1454.26}, {410.06, 226.41, 989.91}, {402.93, 500.13, 3136.92}},
      {"GREEDY", {284.07, 222.33, 2288.65}, {239.76, 217.47, 1128.32}, {134.32, 268.66, 2129.98}},
      {"GREEDY-PMTN", {9.45, 41.30, 509.05}, {3.28, 10.59, 84.16}, {1.72, 6.63, 89.54}, &kGreedyPmtn},
      {"GREEDY-PMTN-MIGR",
       {10.86, 46.35, 509.04},
       {3.61, 13.81, 102.69},
       {1.77, 6.87, 92.87},
       &kGreedyPmtnMigr},
      {"DYNMCB8", {108.78, 183.77, 1435.44}, {36.95, 32.16, 162.33}, {67.19, 229.96, 2241.83}, &kDynmcb8},
      {"DYNMCB8-PER-600", {3.55, 2.62, 16.38}, {4.83, 3.90, 21.30}, {14.73, 64.41, 668.24}, &kPer},
      {"DYNMCB8-ASAP-PER-600", {2.62, 1.66, 12.77}, {3.28, 2.03, 11.00}, {4.23, 3.05, 24.68}, &kAsapPer},
      {"DYNMCB8-STRETCH-PER-600",
       {3.59, 2.53, 16.38},
       {4.89, 3.77, 20.97},
       {16.01, 78.24, 900.45},
       &kStretchPer},
  };
  return rows;
}

const PublishedRow* published(std::string_view policy) {
  const auto& rows = published_rows();
  const auto found = std::ranges::find(rows, policy, &PublishedRow::policy);
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string> with_published(const std::vector<std::string>& others) {
  std::vector<std::string> names;
  for (const PublishedRow& row : published_rows()) names.emplace_back(row.policy);
  for (const std::string& policy : others)
    if (std::ranges::find(names, policy) == names.end()) names.push_back(policy);
  return names;
}

}  // namespace aliquot
