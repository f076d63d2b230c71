// The commands of aliquot-sim as functions: options in, exit code out (0 done, 1 the simulation or the
// verification failed, 2 bad input).
#pragma once

#include <optional>
#include <string>

#include "manager/hypervisor/model_options.hpp"
#include "tools/sim/workload.hpp"

namespace CLI {
class App;
}

namespace aliquot {

struct RunOptions {
  std::string workload;
  ReadOptions read;
  std::string policy;
  ModelOptions model;
  std::string jobs_out;  // empty: none
  bool json = false;
  std::string events_out = {};   // empty: none
  std::string journal_out = {};  // empty: none
  std::string batsim_out = {};   // a folder; empty: none
  std::string report = {};       // an HTML page; empty: none
};
[[nodiscard]] int run_command(const RunOptions& options);

struct VerifyOptions {
  std::string workload;
  ReadOptions read;  // shape.nodes 0: not given
  std::string jobs_out;
  Duration penalty;
  std::string events = {};  // the --events-out of the same run; empty: not given
  std::string report = {};  // its --json
  bool failures = false;    // a job may have failed before its work was done
};
[[nodiscard]] int verify_command(const VerifyOptions& options);

// The offline lower bound on the max bounded stretch (tools/sim/bound).
struct BoundOptions {
  std::string workload;
  ReadOptions read;
  bool json = false;
};
[[nodiscard]] int bound_command(const BoundOptions& options);

[[nodiscard]] int policies_command(bool bibtex);

// Commands that bring their own options: each adds itself to the program, and runs while it is parsed.
void add_convert_command(CLI::App& app, int& exit_code);
void add_generate_command(CLI::App& app, int& exit_code);
void add_evaluate_command(CLI::App& app, int& exit_code);
void add_decide_command(CLI::App& app, int& exit_code);
// To `generate`.
void add_generate_view(CLI::App& generates, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);

// Says it on standard error, after the program's name, and returns the exit code that belongs to it.
int complain(const Error& error);

}  // namespace aliquot
