// `evaluate esp`, `evaluate gpu-mix`: the experiments of the placement papers; `generate esp`, `generate
// gpu-mix`: their workloads.
#pragma once

namespace CLI {
class App;
}

namespace aliquot {

void add_placement_studies(CLI::App& evaluate, int& exit_code);
void add_placement_workloads(CLI::App& generate, int& exit_code);

}  // namespace aliquot
