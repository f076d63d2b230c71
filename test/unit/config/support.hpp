// What the tests of the configuration share: a smallest lawful file, and a policy check that knows two
// names.
#pragma once

#include <string>

#include "config/load.hpp"

namespace aliquot::test {

inline const std::string kNode = "nodes:\n  - name: n1\n    uri: qemu:///system\n";

inline Result<void> known_spec(const std::string& spec) {
  for (const char* known : {"ALIQUOT", "DYNMCB8", "GREEDY"})
    if (spec.starts_with(known)) return {};
  return fail(ErrorKind::invalid_argument,
              "\"" + spec + "\" is no policy known here; see docs/policies.md");
}

inline LoadResult read(const std::string& text) { return read_settings(text, "a.yaml", known_spec); }

// The message of the faults, or "" if there are none.
inline std::string faults_of(const LoadResult& result) {
  return result ? std::string() : as_error(result.error()).message;
}

}  // namespace aliquot::test
