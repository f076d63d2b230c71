// Tables 6 and 7 of the first placement paper (IPSCHED, sec. 6): what was measured on an emulated Slurm.
#pragma once

#include <array>
#include <optional>

namespace aliquot {

// Of jobs: mean and standard deviation.
struct PublishedSpread {
  double mean = 0;
  double deviation = 0;
};

struct PublishedEsp {
  const char* experiment;
  const char* what;
  const char* brief;  // for plots
  PublishedSpread wait_h;
  PublishedSpread slowdown;
  double utilization = 0;
  std::optional<PublishedSpread> packing;
};

// The name of an experiment is its number there.
inline constexpr std::array<PublishedEsp, 8> kPublishedEsp = {{
    {"1", "backfill, basic", "backfill", {1.60, 0.836}, {18.11, 25.49}, 0.90, std::nullopt},
    {"2", "IPSCHED p r, basic", "p r", {0.91, 1.224}, {11.31, 18.97}, 0.93, std::nullopt},
    {"3", "IPSCHED p, basic", "p", {0.77, 1.257}, {9.95, 18.87}, 0.92, std::nullopt},
    {"4", "backfill, multifactor", "backfill, multif.", {2.42, 1.758}, {22.75, 22.02}, 0.89, std::nullopt},
    {"5", "IPSCHED p, multifactor", "p, multif.", {0.88, 1.223}, {10.75, 18.20}, 0.94, std::nullopt},
    {"6", "IPSCHED p r, multifactor", "p r, multif.", {2.08, 1.577}, {22.06, 21.84}, 0.93, std::nullopt},
    {"7",
     "backfill, multifactor, sizes ±4",
     "backfill, ±4",
     {2.50, 1.802},
     {23.80, 22.93},
     0.88,
     {{1.021, 0.029}}},
    {"8",
     "IPSCHED p r, multifactor, sizes ±4",
     "p r, ±4",
     {1.09, 1.111},
     {13.12, 16.78},
     0.94,
     {{1.016, 0.026}}},
}};

}  // namespace aliquot
