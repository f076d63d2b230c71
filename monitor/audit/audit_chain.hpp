// The audit log as text: what was asked of the manager that would change something, by which user or key,
// and what came of it. One JSON object a line, in files that follow one another; each line has the hash of
// the line before it, so that a line that was changed, removed or put in is found, but for the newest ones,
// whose hash must be known from elsewhere. Pure but for reading the files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot::audit {

// What is recorded. The time of the wall clock: people compare it with other records.
struct Record {
  std::int64_t unix_us = 0;
  std::uint32_t uid = 0;
  std::int32_t pid = 0;  // of a local client
  std::string key{};     // of a remote one; empty with an address: it was not let in
  std::string address{};
  std::string method;
  std::string object{};
  std::string code;
  std::string why{};  // of a refusal, where the code does not say it
};

// The newest line: its number, from 1, and its SHA-256 in hexadecimal.
struct Head {
  std::uint64_t line = 0;
  std::string hash = std::string(64, '0');
  friend bool operator==(const Head&, const Head&) = default;
};
[[nodiscard]] std::string to_text(const Head& head);  // "12:5f0c..."
[[nodiscard]] std::optional<Head> parse_head(std::string_view text);

// The line after `head`, without a line break, which is the new head.
[[nodiscard]] std::string next_line(Head& head, const Record& record);

// The files of a directory, oldest first.
[[nodiscard]] std::vector<std::string> files_in(const std::string& directory);
[[nodiscard]] std::string file_name(std::uint64_t first_line);

struct Verified {
  std::uint64_t first = 0;  // its first line: older files may have been put away
  Head head;
};
// Reads every line. An error names the first line that does not follow from the one before it. With
// `known`, that line must be there, with this hash. `each` gets the lines in order.
[[nodiscard]] Result<Verified> verify(const std::string& directory, const std::optional<Head>& known,
                                      const std::function<void(const std::string& line)>& each = {});

}  // namespace aliquot::audit
