// The targets of the fuzzer: every reader of the simulator that takes a file from outside. A target reads
// an input and returns the defect of the reader that it shows. A refusal with a clear message is no defect.
#pragma once

#include <string>

namespace aliquot::fuzz {

// `kind` is the corpus's folder: "workload" (CSV, SWF, Batsim JSON, each also gzip), "cluster" (YAML),
// "view" (JSON). `scratch` is a file that the target may write. Returns empty if there is no defect.
[[nodiscard]] std::string try_input(const std::string& kind, const std::string& input,
                                    const std::string& scratch);

// Packed by gzip.
[[nodiscard]] std::string packed(const std::string& text);

}  // namespace aliquot::fuzz
