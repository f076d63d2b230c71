// `evaluate openb`: how much of a GPU cluster can be given away, under policies of fit.
#pragma once

namespace CLI {
class App;
}

namespace aliquot {

void add_openb_command(CLI::App& evaluate, int& exit_code);

}  // namespace aliquot
