// The options that several commands share: the workload and the cluster, what actions cost and what fails,
// and the form of the output. As typed they are texts, so that numbers are read exactly; errors name the
// option.
#pragma once

#include <string>
#include <vector>

#include "manager/hypervisor/model/model_options.hpp"
#include "policies/model/error.hpp"
#include "tools/sim/workload.hpp"

namespace CLI {
class App;
}

namespace aliquot {

// The workload and the cluster. As typed; empty: not given.
struct TypedWorkload {
  std::string path, nodes, cores, memory, cluster, swf = "procs", week, resource_speed;
  bool perfect = false;
};

void add_workload_options(CLI::App& command, TypedWorkload& typed);
// The same without --workload.
void add_reading_options(CLI::App& command, TypedWorkload& typed);

// Reads the file of --cluster too. shape.nodes is 0 if neither --nodes nor --cluster was given.
[[nodiscard]] Result<ReadOptions> read_options(const TypedWorkload& typed);

// What actions cost and what fails. As typed; empty: not given.
struct TypedModel {
  std::string penalty = "0", migration_penalty, jitter, lost, crash, mtbf, mttr, checkpoint, seed = "0";
  std::string communication = "1";
  bool network = false;
  std::vector<std::string> delay, bandwidth, fail;  // each "KIND=NUMBER"
};

void add_model_options(CLI::App& command, TypedModel& typed);

[[nodiscard]] Result<ModelOptions> model_options(const TypedModel& typed);

// -o, --output, one of `forms` (the first by default), and --json for `-o json`.
void add_output_option(CLI::App& command, std::string& typed, const std::vector<std::string>& forms);

}  // namespace aliquot
