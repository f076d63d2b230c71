// The commands of aliquot-sim that run the papers' experiments: `evaluate` and `sweep`. An aliquot-sim that
// is built with ALIQUOT_EXPERIMENTS=OFF has the simulator alone (no_experiments.cpp).
//
// Campaigns (campaign/, with papers/, beyond/ and sweep/) are lists of trials that resume where they
// stopped, run on all cores and can be cut into shards. Studies (placement/, openb/, evolving/, moldable/,
// power/, prediction/, needs/, collocation/, validity/) are finished by one run. A new campaign needs a
// function that makes its Campaign (campaign/campaign.hpp), its report, a kind in campaign/report_files.cpp
// and a subcommand in campaign_commands.cpp; a new study needs its folder and a subcommand in
// study_commands.cpp, which runs it by on_threads() and ends with show_study().
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
