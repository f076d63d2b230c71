// The turnaround of each job, simulated over measured: on the diagonal the simulation is right. An SVG.
#pragma once

#include <string>
#include <vector>

namespace aliquot {

struct TurnaroundPoint {
  std::string name;
  double measured = 0;  // seconds, above 0
  double simulated = 0;
};

// `band`: the relative error at which the dotted lines stand.
[[nodiscard]] std::string turnaround_plot(const std::vector<TurnaroundPoint>& points, double band);

}  // namespace aliquot
