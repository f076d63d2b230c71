#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "monitor/provenance.hpp"
#include "tools/sim/bound/lower_bound.hpp"
#include "tools/sim/commands.hpp"

namespace aliquot {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string text_of(Stretch stretch) { return to_text(Decimal{Int128{stretch.nano} * (kPico / kNano)}); }

nlohmann::ordered_json as_json(const LowerBound& bound, const Workload& workload) {
  nlohmann::ordered_json json = {{"bound", static_cast<double>(bound.stretch.nano) / kNano},
                                 {"jobs", workload.jobs.size()},
                                 {"skipped", workload.skipped},
                                 {"capacity", bound.capacity},
                                 {"jobs_involved", bound.jobs}};
  if (bound.time.empty()) return json;
  json["from"] = to_seconds(bound.time.segments().front().from);
  json["to"] = to_seconds(bound.time.segments().back().to);
  json["overloaded_s"] = to_seconds(bound.time.length());
  return json;
}

std::string why(const LowerBound& bound) {
  if (bound.time.empty()) return "what a job takes with the cluster to itself";
  const auto& segments = bound.time.segments();
  return "the " + bound.capacity + " capacity is overloaded for " + to_text(bound.time.length()) +
         " s between " + to_text(segments.front().from - Instant{}) + " s and " +
         to_text(segments.back().to - Instant{}) + " s, by " + std::to_string(bound.jobs) + " jobs";
}

}  // namespace

int bound_command(const BoundOptions& options) {
  const auto started = Clock::now();
  const auto workload = read_workload(options.workload, options.read);
  if (!workload) return report_error(workload.error());
  for (const std::string& note : workload->notes) std::cerr << "aliquot-sim: note: " << note << "\n";
  if (auto declared = check_declared_needs(*workload, "the lower bound"); !declared)
    return report_error(declared.error());
  const auto parsed = Clock::now();
  const ClusterShape& shape = options.read.shape;
  const LowerBound bound = lower_bound(make_instance(workload->jobs, shape.make_nodes()));
  const auto done = Clock::now();
  if (!options.json) {
    std::cout << "No schedule of these " << workload->jobs.size()
              << " jobs has a max bounded stretch below " << text_of(bound.stretch) << ".\n"
              << "Why: " << why(bound) << ".\n";
    return 0;
  }
  nlohmann::ordered_json json = as_json(bound, *workload);
  json["parse_s"] = seconds_between(started, parsed);
  json["wall_s"] = seconds_between(parsed, done);
  json["version"] = kVersion;
  json["commit"] = kCommit;
  json["input_sha256"] = workload->sha256;
  json["options"] = {{"workload", options.workload},
                     {"nodes", shape.nodes},
                     {"cores_per_node", shape.cores_per_node},
                     {"node_memory_gb", static_cast<double>(shape.node_memory.raw) / 1e9},
                     {"swf", options.read.swf == ReadOptions::Swf::procs ? "procs" : "dfrs"}};
  std::cout << json.dump(2) << "\n";
  return 0;
}

}  // namespace aliquot
