// Files that a command writes. An error names the file.
#pragma once

#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

struct OutputFile {
  std::string name;  // within a folder
  std::string text;
};

// Replaces what stands there.
[[nodiscard]] Result<void> write_file(const std::string& path, const std::string& text);
// Creates the folder if it is missing.
[[nodiscard]] Result<void> write_files(const std::string& folder, const std::vector<OutputFile>& files);

}  // namespace aliquot
