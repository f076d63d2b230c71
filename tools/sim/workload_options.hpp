// The options by which a command is told its workload and the cluster: the same for all commands.
#pragma once

#include <string>

#include "tools/sim/workload.hpp"

namespace CLI {
class App;
}

namespace aliquot {

// As they are typed; empty: not given.
struct TypedWorkload {
  std::string path, nodes, cores, memory, cluster, swf = "procs", week, resource_speed;
  bool perfect = false;
};

void add_workload_options(CLI::App& command, TypedWorkload& typed);
// The same without the workload itself.
void add_reading_options(CLI::App& command, TypedWorkload& typed);

// Reads the cluster's file too, if there is one. shape.nodes is 0 if nothing was said of nodes.
[[nodiscard]] Result<ReadOptions> read_options(const TypedWorkload& typed);

}  // namespace aliquot
