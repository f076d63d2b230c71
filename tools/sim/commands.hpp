// The commands of aliquot-sim as functions: options in, exit code out (0: done; 1: the simulation or the
// verification failed; 2: bad input). main.cpp defines the command line and calls them.
//
// Options that are texts are as typed; the command checks them, and its message names the option.
//
// The simulator by folder, in the order of the data: workload/ and generate/ make a Workload
// (workload.hpp); simulation.hpp runs it under a policy; observers collect what happens: report.hpp (a row
// for each job, a summary), metrics/ (figures, events, journal, Batsim's tables), picture/ (pages).
// one_run.hpp puts them together for `run`, run_trial.hpp for `compare` and the campaigns. verify/
// recomputes the output, bound/ proves a lower bound, decide/ takes a single decision, exec/ runs policies
// in other languages. The experiments of the papers stand apart, in tools/experiments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/hypervisor/model/model_options.hpp"
#include "policies/model/account_terms.hpp"
#include "policies/model/move_terms.hpp"
#include "policies/power/settings.hpp"
#include "tools/sim/needs/watched_needs.hpp"
#include "tools/sim/shared_options.hpp"

namespace aliquot {

struct RunOptions {
  std::string workload;
  ReadOptions read;
  std::string policy;
  ModelOptions model;
  std::string jobs_out;  // each of these empty: not asked for
  bool json = false;
  std::string events_out = {};
  std::string journal_out = {};
  std::string batsim_out = {};                               // a folder
  std::string report = {};                                   // an HTML page, or the plots alone in an .svg
  std::optional<power::PowerSettings> power = std::nullopt;  // none: no energy is counted
  NeedSource needs = NeedSource::declared;
  std::optional<Duration> half_life = std::nullopt;  // of the use of its users; none: no fair share
  MoveTerms moves = {};
  std::vector<AccountTerms> accounts = {};
};
[[nodiscard]] int run_command(const RunOptions& options);

struct CompareOptions {
  TypedWorkload workload;
  TypedModel model;
  std::vector<std::string> policies;  // lists; empty: the paper's nine and ALIQUOT
  std::string output;                 // "table", "csv", "json"
  bool no_bound = false;
};
[[nodiscard]] int compare_command(const CompareOptions& options);

struct VerifyOptions {
  std::string workload;
  ReadOptions read;  // shape.nodes 0: not given
  std::string jobs_out;
  Duration penalty;
  std::string events = {};  // the --events-out of the same run; empty: not given
  std::string report = {};  // its --json; empty: not given
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

struct DecideOptions {
  std::string view, policy, repeat = "1", output;  // output: "text" or "json"
};
[[nodiscard]] int decide_command(const DecideOptions& options);

struct ConvertOptions {
  TypedWorkload workload;
  std::string out, to;
};
[[nodiscard]] int convert_command(const ConvertOptions& options);

[[nodiscard]] int policies_command(bool bibtex);

// `generate`: a workload, or a view for `decide`, on standard output.
struct GenerateOptions {
  std::string seed = "1", jobs = "1000", nodes = "128", load;
  bool typeless = false;
};
[[nodiscard]] int generate_lublin_command(const GenerateOptions& options);
[[nodiscard]] int generate_dfrs_command(const GenerateOptions& options);

// The workloads of the placement papers.
struct GpuWorkloadOptions {
  std::string seed = "1", sigma = "5", mix = "V", most_cores = "1024", hours = "2";
  bool plain = false, vary = false;
};
[[nodiscard]] int generate_esp_command(const GpuWorkloadOptions& options);
[[nodiscard]] int generate_gpu_mix_command(const GpuWorkloadOptions& options);

struct ViewOptions {
  std::string nodes = "128", jobs = "100", shape = "paper", seed = "1";
};
[[nodiscard]] int generate_view_command(const ViewOptions& options);

// Prints the error on standard error, after the program's name; returns its exit code.
int report_error(const Error& error);

}  // namespace aliquot
