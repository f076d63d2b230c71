// What is fuzzed: everything of the simulator that reads a file from outside. A target takes an input as it
// stands in a file, and says what is wrong with the reader; nothing is wrong with a clear refusal.
#pragma once

#include <string>

namespace aliquot::fuzz {

// `kind` is the corpus's folder: "workload" (CSV, SWF, Batsim JSON, each also gzip), "cluster" (YAML),
// "view" (JSON). `scratch` is a file that the target may write. Empty: as it should be.
[[nodiscard]] std::string try_input(const std::string& kind, const std::string& input,
                                    const std::string& scratch);

// Packed by gzip.
[[nodiscard]] std::string packed(const std::string& text);

}  // namespace aliquot::fuzz
