#include "tools/ctl/archive_python.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "tools/ctl/program_output.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 11> kLeftOut = {
    "__pycache__",   "dist-packages", "ensurepip", "idlelib", "lib2to3",   "pydoc_data",
    "site-packages", "test",          "tests",     "tkinter", "turtledemo"};

// Extension modules: for tests, and those whose libraries are large and which few use.
constexpr std::array<std::string_view, 7> kRareModules = {"_ctypes_test", "_dbm", "_gdbm",    "_test",
                                                          "_xxtestfuzz",  "nis",  "xxlimited"};

bool is_left_out(const std::string& name) {
  if (name.starts_with("config-")) return true;  // for programs that embed the interpreter
  const auto begins = [&](std::string_view module) { return name.starts_with(module); };
  if (name.ends_with(".so")) return std::ranges::any_of(kRareModules, begins);
  return std::ranges::find(kLeftOut, name) != kLeftOut.end();
}

}  // namespace

bool is_python(const fs::path& program) {
  std::error_code fault;
  const fs::path real = fs::canonical(program, fault);
  const std::string name = real.filename().string();
  constexpr std::string_view kName = "python3";
  return !fault && name.starts_with(kName) &&
         name.find_first_not_of(".0123456789", kName.size()) == std::string::npos;
}

Result<std::vector<std::string>> python_library(const fs::path& interpreter) {
  const auto asked = output_of(
      {interpreter.string(), "-I", "-S", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"});
  if (!asked) return tl::unexpected(asked.error());
  const std::string root = asked->text.substr(0, asked->text.find('\n'));
  std::error_code fault;
  if (!asked->succeeded || !root.starts_with('/') || !fs::is_directory(root, fault))
    return fail(ErrorKind::not_found, interpreter.string() +
                                          " does not say where its standard library is ('" +
                                          root.substr(0, 200) + "'); check that it runs here");
  std::vector<std::string> files;
  fs::recursive_directory_iterator at(root, fault);
  for (const fs::recursive_directory_iterator end; !fault && at != end; at.increment(fault)) {
    if (is_left_out(at->path().filename().string())) {
      at.disable_recursion_pending();
    } else if (std::error_code ignored; at->is_regular_file(ignored)) {
      files.push_back(at->path().string());
    }
  }
  if (fault) return fail(ErrorKind::not_found, "cannot read " + root + ": " + fault.message());
  std::ranges::sort(files);
  return files;
}

}  // namespace aliquot
