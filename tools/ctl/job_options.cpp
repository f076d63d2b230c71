#include "tools/ctl/job_options.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace aliquot::ctl {

namespace {

constexpr std::size_t kMaxHead = std::size_t{256} << 10;
constexpr std::string_view kMark = "#ALIQUOT";

bool is_marked(const std::string& line) {
  return line.starts_with(kMark) &&
         (line.size() == kMark.size() || line[kMark.size()] == ' ' || line[kMark.size()] == '\t');
}

tl::unexpected<Error> wrong(const std::string& file, int line, const std::string& what) {
  return fail(ErrorKind::invalid_argument, file + ":" + std::to_string(line) + ": " + what);
}

// Adds what the line says; the names of its options get this place.
Result<void> read_line(const std::string& text, int line, JobScript& script) {
  CLI::App app;
  app.set_help_flag();
  JobText own;
  declare_job_options(app, own);
  try {
    app.parse(text.substr(kMark.size()), false);
  } catch (const CLI::ParseError& fault) {
    return wrong(script.file, line, fault.what());
  }
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0) script.places["--" + option->get_single_name()] = line;
  overlay(script.job, own);
  return {};
}

}  // namespace

void declare_job_options(CLI::App& app, JobText& job) {
  for (const JobKey& key : job_keys()) {
    const std::string name = std::string("--") + key.name;
    if (key.bare != nullptr)
      app.add_flag(name + "{" + key.bare + "}", job.*key.field, key.help);
    else
      app.add_option(name, job.*key.field, key.help);
  }
  for (const JobListKey& key : job_list_keys())
    app.add_option(std::string("--") + key.name, job.*key.field, key.help)
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
  app.add_flag("--hold", job.hold, "hold it back until `aliquot release`");
  app.add_flag("--contiguous", job.contiguous, "on nodes that stand side by side");
}

Result<std::optional<JobScript>> script_of(const std::vector<std::string>& command) {
  std::error_code fault;
  if (command.empty() || !std::filesystem::is_regular_file(command[0], fault)) return std::nullopt;
  std::string head(kMaxHead, '\0');
  std::ifstream file(command[0], std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  if (!head.starts_with("#!")) return std::nullopt;
  JobScript script{command[0], {}, {}};
  std::istringstream lines(head);
  bool any = false, in_head = true;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line[first] != '#') in_head = false;
    if (!is_marked(line)) continue;
    any = true;
    if (!in_head)
      return wrong(script.file, number,
                   "stands below the first command; move it to the head of the script");
    if (auto read = read_line(line, number, script); !read) return tl::unexpected<Error>(read.error());
  }
  if (!any) return std::nullopt;
  if (access(command[0].c_str(), X_OK) != 0)
    return fail(ErrorKind::forbidden, script.file + " may not be executed; make it so with chmod +x");
  return script;
}

Error in_script(const JobScript& script, const JobText& options, Error error) {
  std::string option = error.message.substr(0, error.message.find_first_of(": "));
  const auto at = script.places.find(option);
  const bool replaced = std::ranges::any_of(job_keys(), [&](const JobKey& key) {
    return options.*key.field && "--" + std::string(key.name) == option;
  });
  if (at != script.places.end() && !replaced)
    error.message = script.file + ":" + std::to_string(at->second) + ": " + error.message;
  return error;
}

}  // namespace aliquot::ctl
