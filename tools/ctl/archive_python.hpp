// What the interpreter of Python opens before the first line of a script: its standard library. A program's
// libraries say themselves what they are; this must be asked of the interpreter.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

// By the name of the file that it really is: python3, python3.11.
[[nodiscard]] bool is_python(const std::filesystem::path& program);

// Absolute paths of the files of its standard library, in order. Not: tests, what needs a display or
// further packages, compiled copies of sources; nor the packages of the site or of a virtual environment.
[[nodiscard]] Result<std::vector<std::string>> python_library(const std::filesystem::path& interpreter);

}  // namespace aliquot
