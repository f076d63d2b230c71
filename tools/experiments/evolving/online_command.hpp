// `aliquot-sim evaluate evolving-online`: its options, checked as they are typed.
#pragma once

namespace CLI {
class App;
}

namespace aliquot {

// The command sets the exit code when it has run: 0 done, 1 something failed, 2 bad input.
void add_evolving_online(CLI::App& evaluate, int& exit_code);

}  // namespace aliquot
