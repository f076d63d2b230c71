#include "tools/sim/exec/exec_policy.hpp"

#include <algorithm>

#include "policies/reasons.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/solver/general_solver.hpp"
#include "tools/sim/view_json.hpp"

namespace aliquot {

namespace {

constexpr std::string_view kPrefix = "exec:";
constexpr std::size_t kShown = 200;  // bytes of an answer in a message

}  // namespace

Result<std::unique_ptr<Policy>> ExecPolicy::start(const std::string& command, ExecBounds bounds) {
  if (command.find_first_not_of(" \t") == std::string::npos || command.find('\0') != std::string::npos) {
    return fail(ErrorKind::invalid_argument,
                "exec: needs a command, for example exec:'python3 tools/sim/examples/fcfs.py'");
  }
  auto program = ChildProcess::start(command);
  if (!program) {
    return fail(program.error().kind, std::string(kPrefix) + command + ": " + program.error().message);
  }
  return std::unique_ptr<Policy>(new ExecPolicy(command, std::move(*program), bounds));
}

Plan ExecPolicy::decide(const ClusterView& view) const {
  ++decisions_;
  const auto broken = [&](const std::string& why) {
    return ExecFailure(name() + ": decision " + std::to_string(decisions_) + ", at " +
                       to_text(view.now - Instant{}) + " s: " + why);
  };
  const auto line = program_->ask(view_json(view), bounds_.answer_within, bounds_.longest_answer);
  if (!line) throw broken(line.error().message);
  auto plan = parse_plan(*line, view);
  if (plan) return *std::move(plan);
  throw broken(plan.error().message + "\n  it answered: " + line->substr(0, kShown) +
               (line->size() > kShown ? "..." : ""));
}

Explanation ExecPolicy::explain(const ClusterView& view, JobId job) const {
  const Draft draft(view);
  const std::size_t i = draft.index_of(job);
  if (auto plain = plain_reason(draft, i)) return *plain;
  if (!draft.fits(draft.job(i).demand)) return capacity_reason(draft, i);
  Explanation why;
  why.reason = Reason::lower_priority;
  why.text =
      "asks for " + tasks_text(draft.job(i).demand) + ", which would fit now; " + name() + " left it out";
  return why;
}

const PolicyRegistry& simulator_policies() {
  static const PolicyRegistry registry = [] {
    PolicyRow row{"exec", ':'};
    row.free_text = true;
    row.make = [](const PolicyName& name, const PolicyRegistry&) {
      return ExecPolicy::start(std::string(name.text.substr(std::min(kPrefix.size(), name.text.size()))));
    };
    return built_in_policies(general_solver).with(std::move(row));
  }();
  return registry;
}

Result<std::unique_ptr<Policy>> make_simulated_policy(std::string_view spec) {
  return simulator_policies().make(spec);
}

Result<void> run_guarded(const std::function<Result<void>()>& simulate) {
  try {
    return simulate();
  } catch (const ExecFailure& failure) {
    return fail(ErrorKind::invalid_argument, failure.what());
  }
}

}  // namespace aliquot
