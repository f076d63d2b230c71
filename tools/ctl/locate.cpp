#include "tools/ctl/locate.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace aliquot {

namespace fs = std::filesystem;

bool is_runnable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

fs::path locate_program(const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos) {
    const fs::path path = fs::absolute(name, ignored).lexically_normal();
    return is_runnable(path) ? path : fs::path();
  }
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable != nullptr ? variable : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path path = fs::absolute(fs::path(folder.empty() ? "." : folder) / name, ignored);
    if (is_runnable(path)) return path.lexically_normal();
  }
  return {};
}

}  // namespace aliquot
