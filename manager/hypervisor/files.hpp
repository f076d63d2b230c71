// The few file operations of the backend, as results: bounded reads, atomic writes. Paths are the spool's
// own; nothing here follows a symbolic link that a guest could have placed, for guests write to no
// directory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot {

// The last `at_most` bytes of a regular file.
[[nodiscard]] Result<std::string> read_tail(const std::string& path, std::size_t at_most);
// The first `at_most` bytes of a regular file.
[[nodiscard]] Result<std::string> read_head(const std::string& path, std::size_t at_most);

// Takes bytes, in order; stops at the first failure.
using Writer = std::function<Result<void>(std::string_view)>;

// The file has the new content or, on failure, the old one: written beside it, flushed, renamed.
Result<void> write_atomically(const std::string& path,
                              const std::function<Result<void>(const Writer&)>& fill);

// Hands the file's content to `to` in pieces; an error if the file is larger than `at_most`. The size.
[[nodiscard]] Result<std::size_t> copy_file_to(const std::string& path, std::size_t at_most,
                                               const Writer& to);

Result<void> make_directories(const std::string& path);
// Readable by its group; one that exists stays as it is.
Result<void> create_empty(const std::string& path);
// Absent is success.
Result<void> remove_file(const std::string& path);
Result<void> rename_file(const std::string& from, const std::string& to);
[[nodiscard]] bool file_exists(const std::string& path);

}  // namespace aliquot
