// exec:COMMAND: a policy in any language, one JSON line in and one out per decision (docs/exec-policy.md).
//
// The program is started once and lives as long as the policy. Its plans pass the same checker as all
// others. Such a policy is not a pure function, so it stands outside policies/ and only the simulator runs
// it.
//
// decide() cannot return an error. If the program dies, does not answer in time, or answers with something
// that is not a plan, decide() throws ExecFailure, which run_guarded() catches.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "policies/registry.hpp"
#include "tools/sim/exec/child_process.hpp"

namespace aliquot {

struct ExecBounds {
  std::chrono::milliseconds answer_within{60'000};
  std::size_t longest_answer = std::size_t{1} << 28;
};

struct ExecFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ExecPolicy : public Policy {
 public:
  // `command` is the shell's.
  static Result<std::unique_ptr<Policy>> start(const std::string& command, ExecBounds bounds = {});

  [[nodiscard]] std::string name() const override { return "exec:" + command_; }
  [[nodiscard]] std::optional<Duration> period() const override { return std::nullopt; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  ExecPolicy(std::string command, std::unique_ptr<ChildProcess> program, ExecBounds bounds)
      : command_(std::move(command)), program_(std::move(program)), bounds_(bounds) {}

  std::string command_;
  std::unique_ptr<ChildProcess> program_;
  ExecBounds bounds_;
  mutable std::uint64_t decisions_ = 0;  // for messages
};

// The built-in policies, exec:COMMAND, and /solver=cbc and /solver=exact where this program has the solver.
[[nodiscard]] const PolicyRegistry& simulator_policies();

// The policy that --policy names.
[[nodiscard]] Result<std::unique_ptr<Policy>> make_simulated_policy(std::string_view spec);

// Calls `simulate`, which may use an ExecPolicy. An ExecFailure becomes an error of kind invalid_argument.
[[nodiscard]] Result<void> run_guarded(const std::function<Result<void>()>& simulate);

}  // namespace aliquot
