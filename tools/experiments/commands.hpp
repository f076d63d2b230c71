// The commands of aliquot-sim that run the papers' experiments: `evaluate` and `sweep`. A program that
// leaves them out has the simulator alone (no_experiments.cpp).
#pragma once

namespace CLI {
class App;
}

namespace aliquot {

// Each command sets the exit code when it has run: 0 done, 1 something failed, 2 bad input.
void add_experiment_commands(CLI::App& app, int& exit_code);

// The parts of it: campaigns are resumable and sharded, studies are single runs of one program.
void add_campaign_commands(CLI::App& app, CLI::App& evaluate, int& exit_code);
void add_study_commands(CLI::App& evaluate, int& exit_code);

}  // namespace aliquot
