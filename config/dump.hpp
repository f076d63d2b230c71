// Settings as text again, all three from the one table of fields: what is in force and where it came from,
// the commented example, and a JSON Schema for editors.
#pragma once

#include <string>

#include "config/load.hpp"

namespace aliquot {

// Every key with the value in force and, as a comment, its origin: a file and line, or "default". Reads
// back to equal settings.
[[nodiscard]] std::string dump_settings(const LoadedSettings& loaded);

// What config/aliquot.example.yaml says, byte for byte: every key with its help and default.
[[nodiscard]] std::string example_settings();

// What config/schema.json says, byte for byte (JSON Schema 2020-12). It does not know what must hold
// between values.
[[nodiscard]] std::string settings_schema();

}  // namespace aliquot
