#include "tools/sim/output_file.hpp"

#include <filesystem>
#include <fstream>

namespace aliquot {

Result<void> write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return {};
  return fail(ErrorKind::unavailable,
              path + ": cannot be written: check the directory and the space on it");
}

Result<void> write_files(const std::string& folder, const std::vector<OutputFile>& files) {
  std::error_code ignored;  // a folder that cannot be created shows as a file that cannot be written
  std::filesystem::create_directories(folder, ignored);
  for (const OutputFile& file : files)
    if (auto written = write_file(folder + "/" + file.name, file.text); !written) return written;
  return {};
}

}  // namespace aliquot
