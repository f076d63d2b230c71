// The command `evaluate beyond`.
#pragma once

namespace CLI {
class App;
}

namespace aliquot {

void add_beyond_command(CLI::App& evaluate, int& exit_code);

}  // namespace aliquot
