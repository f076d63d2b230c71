// The table of error kinds with their meanings and the exit codes of the command line (docs/protocol.md).
// The name on the wire is the one in monitor/codec_words.hpp. Exit codes 0 (success) and 1 (the job failed)
// are not error kinds.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

struct ErrorRow {
  ErrorKind kind;
  int exit_code;
  std::string_view meaning;
};

inline constexpr int kExitDone = 0;
inline constexpr int kExitJobFailed = 1;

// Every ErrorKind, once, in the order of the enum.
[[nodiscard]] const std::vector<ErrorRow>& error_rows();

[[nodiscard]] std::string_view wire_name(ErrorKind kind);
[[nodiscard]] int exit_code(ErrorKind kind);
[[nodiscard]] std::optional<ErrorKind> error_kind(std::string_view wire);

}  // namespace aliquot
