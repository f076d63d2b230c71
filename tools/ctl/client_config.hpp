// What a user has set for every call of the command line: $XDG_CONFIG_HOME/aliquot/config.yaml, or
// ~/.config/aliquot/config.yaml. Above it counts the environment (ALIQUOT_SERVER, ALIQUOT_KEY,
// ALIQUOT_OUTPUT), above that the options. No file: nothing is set. Values are text here; they are checked
// as the options are.
#pragma once

#include <optional>
#include <string>

#include "policies/model/error.hpp"

namespace aliquot::ctl {

struct ClientConfig {
  std::optional<std::string> server;   // socket of the manager, or its address
  std::optional<std::string> key;      // as --key
  std::optional<std::string> output;   // as --output
  std::optional<std::string> timeout;  // as --timeout
  std::optional<std::string> color;    // as --color
};

// From the values of XDG_CONFIG_HOME and HOME, which may be null; empty: there is no place for such a file.
[[nodiscard]] std::string client_config_path(const char* config_home, const char* home);

// Every fault of the file, with its place.
[[nodiscard]] Result<ClientConfig> read_client_config(const std::string& path);

}  // namespace aliquot::ctl
