// `evaluate fairness` on the command line: the options as they are typed, checked. Errors name the option.
#pragma once

namespace CLI {
class App;
}

namespace aliquot {

// Adds the subcommand. It sets the exit code when it has run: 0 done, 1 something failed, 2 bad input.
void add_fairness_study(CLI::App& evaluate, int& exit_code);

}  // namespace aliquot
