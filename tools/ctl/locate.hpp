// Where a program of this machine is.
#pragma once

#include <filesystem>
#include <string>

namespace aliquot {

[[nodiscard]] bool is_runnable(const std::filesystem::path& path);

// The absolute path of the program that a name means, or an empty one: a name with a slash is a path, any
// other is looked up in PATH.
[[nodiscard]] std::filesystem::path locate_program(const std::string& name);

}  // namespace aliquot
