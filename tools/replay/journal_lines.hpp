// Reads a journal line by line: the manager's own (every step since its store was created), what `aliquot
// db export` writes (the newest snapshot, then the steps), or what `aliquot-sim run --journal-out` writes
// (the initial state, then every step).
//
// Errors name the file and the line: not JSON, not a line of a journal, an unknown version.
#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <variant>

#include "manager/core/state.hpp"
#include "monitor/record/step.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

using JournalLine = std::variant<Step, CoreState>;

class JournalLines {
 public:
  // Of one line: a snapshot of 100,000 jobs takes some 50 MB.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 30;

  [[nodiscard]] static Result<JournalLines> open(const std::string& path);
  // Nothing at the end. Skips lines that name the owner of the journal.
  [[nodiscard]] Result<std::optional<JournalLine>> next();

 private:
  JournalLines(std::ifstream file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  [[nodiscard]] Result<bool> read_line();
  [[nodiscard]] tl::unexpected<Error> bad(const std::string& why) const;

  std::ifstream file_;
  std::string path_;
  std::string text_;
  std::uint64_t line_ = 0;
};

}  // namespace aliquot
