// Stands for campaign_commands.cpp and study_commands.cpp in an aliquot-sim without the experiments
// (ALIQUOT_EXPERIMENTS=OFF): adds no command.
#include "tools/experiments/commands.hpp"

namespace aliquot {

void add_experiment_commands(CLI::App&, int&) {}

}  // namespace aliquot
