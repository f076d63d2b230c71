// The registry of policies: one row for each, from its name to the object that decides.
//
// To add a policy, write its class (policies/policy.hpp) and put one row into
// policies/built_in_policies.cpp. The row says everything that other parts of the program ask about a
// policy: how its names are written and listed, whether it places devices, how its period is changed, how
// its state is read back. A registry is a value: the simulator and tests extend the built-in one with rows
// of their own.
#pragma once

#include <memory>

#include "policies/grammar.hpp"
#include "policies/placement/grammar.hpp"
#include "policies/placement/solver/fast.hpp"
#include "policies/policy.hpp"

namespace aliquot {

class PolicyRegistry;

struct PolicyRow {
  std::string word;                   // that its names begin with
  char mark = '+';                    // of its options, see PolicyName::mark
  std::vector<OptionForm> options{};  // in the order of the canonical name
  // What the list of policies shows; a row without is not shown.
  std::vector<PolicyInfo> listed{};
  bool places_devices = false;  // places jobs that ask for devices or a spread
  bool free_text = false;       // behind the word stands text of any length, no options
  std::function<Result<std::unique_ptr<Policy>>(const PolicyName&, const PolicyRegistry&)> make{};
  // The canonical name with another period. Asked only of a policy that has one.
  std::function<Result<std::string>(const PolicyName&, Duration, const PolicyRegistry&)> with_period{};
  // Reads the state that the policy remembers; null: it is no text of such a state. None: it has no state
  // of its own, or the one of a row before.
  std::shared_ptr<const PolicyState> (*decode_state)(std::string_view text) = nullptr;
};

class PolicyRegistry {
 public:
  explicit PolicyRegistry(std::vector<PolicyRow> rows) : rows_(std::move(rows)) {}
  // One row more, in the place of a row with the same word.
  [[nodiscard]] PolicyRegistry with(PolicyRow row) const;

  // As the functions of policy.hpp, over the rows of this registry.
  [[nodiscard]] Result<std::unique_ptr<Policy>> make(std::string_view name) const;
  [[nodiscard]] Result<std::string> with_period(std::string_view name, Duration period) const;
  [[nodiscard]] std::vector<PolicyInfo> known() const;
  [[nodiscard]] std::shared_ptr<const PolicyState> decode_state(std::string_view text) const;

  [[nodiscard]] const std::vector<PolicyRow>& rows() const { return rows_; }
  // The row that the name belongs to, whether or not its options are right; null: an unknown policy.
  [[nodiscard]] const PolicyRow* find(const PolicyName& name) const;

 private:
  [[nodiscard]] tl::unexpected<Error> unknown(const PolicyName& name) const;

  std::vector<PolicyRow> rows_;
};

// A solver of collective placement that needs a library of its own; an error where the program has none.
using GeneralSolver = Result<ip::Solver> (*)(CollectiveSpec::Solver which);

// All policies of this folder. The manager has no general solver.
[[nodiscard]] PolicyRegistry built_in_policies(GeneralSolver general_solver);
[[nodiscard]] const PolicyRegistry& built_in_policies();

// The row of a policy: its grammar, how it is listed, and what makes it of a spec.
template <class Spec, class Make>
PolicyRow policy_row(const PolicyGrammar<Spec>& grammar, std::vector<PolicyInfo> listed, Make make) {
  PolicyRow row{grammar.word, grammar.mark, grammar.forms(), std::move(listed)};
  row.make = [grammar, make](const PolicyName& name,
                             const PolicyRegistry&) -> Result<std::unique_ptr<Policy>> {
    const Result<Spec> spec = grammar.read(name);
    if (!spec) return tl::unexpected(spec.error());
    return make(*spec);
  };
  if (!grammar.period) return row;
  row.with_period = [grammar](const PolicyName& name, Duration period,
                              const PolicyRegistry&) -> Result<std::string> {
    Result<Spec> spec = grammar.read(name);
    if (!spec) return tl::unexpected(spec.error());
    *grammar.period(*spec) = period;
    return grammar.print(*spec);
  };
  return row;
}

// The row of a policy without options.
template <class Make>
PolicyRow policy_row(PolicyInfo info, Make make) {
  const PolicyGrammar<NoOptions> grammar{info.name};
  return policy_row(grammar, {std::move(info)},
                    [make](const NoOptions&) -> std::unique_ptr<Policy> { return make(); });
}

// The same row of a policy that remembers a state of this type.
template <class State>
[[nodiscard]] PolicyRow remembering(PolicyRow row) {
  row.decode_state = State::decode;
  return row;
}

// The same row of a policy that places jobs with devices and spreads.
[[nodiscard]] inline PolicyRow placing_devices(PolicyRow row) {
  row.places_devices = true;
  return row;
}

}  // namespace aliquot
