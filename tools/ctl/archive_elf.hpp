// What an ELF program names: its loader, and through the loader its libraries. Reads the program's own
// headers with every offset checked; runs nothing but the loader's --list, under a deadline.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

// The path in the PT_INTERP header; empty for a static program. `name` is for messages.
[[nodiscard]] Result<std::string> elf_interpreter(std::string_view content, const std::string& name);

// The same of a file.
[[nodiscard]] Result<std::string> elf_interpreter_of(const std::filesystem::path& program);

// Absolute paths of all libraries the loader would map for `program`.
[[nodiscard]] Result<std::vector<std::string>> list_libraries(const std::string& loader,
                                                              const std::string& program);

// The paths in the output of `ld.so --list`. Fails on a library that was not found.
[[nodiscard]] Result<std::vector<std::string>> parse_library_list(std::string_view output,
                                                                  const std::string& program);

}  // namespace aliquot
