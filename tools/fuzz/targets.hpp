// The targets of a fuzzer: readers that take a text, a file or bytes from outside. A target reads an input
// and returns the defect of the reader that it shows. A refusal with a clear message is no defect.
//
// Two sources implement this: targets.cpp for the simulator (fuzz-readers), live_targets.cpp for the
// manager and the command line (fuzz-manager).
#pragma once

#include <string>
#include <vector>

namespace aliquot::fuzz {

extern const char* const kProgram;

// An input to begin with, or to change.
struct Seed {
  std::string kind, name, text;
};

// Those that the corpus need not hold, because the program can make them.
[[nodiscard]] std::vector<Seed> made_seeds();

// `kind` is the corpus's folder: of fuzz-readers "workload" (CSV, SWF, Batsim JSON, each also gzip),
// "cluster" (YAML), "view" (JSON); those of fuzz-manager stand in live_targets.cpp. `scratch` is a file
// that the target may write. Returns empty if there is no defect.
[[nodiscard]] std::string try_input(const std::string& kind, const std::string& input,
                                    const std::string& scratch);

}  // namespace aliquot::fuzz
