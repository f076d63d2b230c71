// Prints settings, from the field table: the settings in force with their origins, the commented example,
// and a JSON Schema for editors.
#pragma once

#include <string>

#include "config/load.hpp"

namespace aliquot {

// Every key with the value in force and, as a comment, its origin: a file and line, or "default". Loads to
// equal settings.
[[nodiscard]] std::string dump_settings(const LoadedSettings& loaded);

// The content of config/aliquot.example.yaml: every key with its help and default.
[[nodiscard]] std::string example_settings();

// The content of config/schema.json (JSON Schema 2020-12). It does not express the checks between settings.
[[nodiscard]] std::string settings_schema();

}  // namespace aliquot
