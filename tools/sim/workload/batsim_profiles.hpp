// The run time of a Batsim profile alone on its resources. Network, storage and I/O are not modelled.
//
//   delay (DelayProfile)                             `delay` seconds
//   parallel_homogeneous (ParallelTaskHomogeneous-)  `cpu` flops on each resource / speed
//   ... spread uniformly, parallel_homogeneous_total `cpu` / resources / speed
//   parallel (ParallelTaskProfile)                   the largest of `cpu` / speed: its tasks progress as
//   one composed (SequentialCompositionProfile)          the sum of its parts, `repeat` times
//
// Communication (`com`) is left out, which a note says. Every other type is an error that names profile and
// type. `ret` is the exit code. Source: Batsim's documentation, "Workload" (versions 3 to 5).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/json_pieces.hpp"

namespace aliquot {

class BatsimProfiles {
 public:
  explicit BatsimProfiles(double flops_per_second) : speed_(flops_per_second) {}

  // Errors: a name that cannot be printed or stands there already, more than can be held.
  [[nodiscard]] Result<void> add(const std::string& name, JsonPiece profile);

  struct Run {
    Decimal seconds;
    int exit_code = 0;
    bool plain = true;  // a delay, no computation
  };
  [[nodiscard]] Result<Run> run_of(const std::string& name, std::uint32_t resources);

  // Profiles that were asked for and whose communication was left out.
  [[nodiscard]] const std::set<std::string>& silenced() const { return silenced_; }

 private:
  [[nodiscard]] Result<Run> compute(const std::string& name, std::uint32_t resources);
  [[nodiscard]] Result<Decimal> computing(const std::string& name, const JsonPiece& profile,
                                          std::uint32_t resources, bool spread);
  [[nodiscard]] Result<Decimal> sum_of_parts(const std::string& name, const JsonPiece& profile,
                                             std::uint32_t resources);

  double speed_;
  std::size_t values_ = 0;  // of all profiles
  std::map<std::string, JsonPiece> profiles_;
  std::map<std::pair<std::string, std::uint32_t>, std::optional<Run>> known_;  // none: being computed
  std::set<std::string> silenced_;
  int depth_ = 0;  // of sequences within sequences
};

// What a profile is called that is nothing but a time, and an exit code if it fails: "61", "61-ret3".

[[nodiscard]] inline std::string plain_profile(Duration runtime, int exit_code) {
  return to_text(runtime) + (exit_code == 0 ? "" : "-ret" + std::to_string(exit_code));
}

}  // namespace aliquot
