// The policies that the laws are stated for: the built-in ones, and one that is added by its row here.
#pragma once

#include "policies/registry.hpp"
#include "test/property/added_policy/first_fit.hpp"

namespace aliquot::test {

[[nodiscard]] inline const PolicyRegistry& tested_policies() {
  static const PolicyRegistry registry = built_in_policies().with(
      policy_row(first_fit_grammar(),
                 {{"FIRST-FIT", "Places each job on the first nodes that hold it.", "a test"},
                  {"FIRST-FIT+in-order", "As FIRST-FIT, but no job overtakes another.", "a test"}},
                 [](const FirstFitSpec& spec) { return std::make_unique<FirstFit>(spec); }));
  return registry;
}

}  // namespace aliquot::test
