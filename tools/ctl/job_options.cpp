#include "tools/ctl/job_options.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tools/ctl/locate.hpp"
#include "tools/ctl/slurm_words.hpp"

namespace aliquot::ctl {

namespace {

constexpr std::size_t kMaxHead = std::size_t{256} << 10;
constexpr std::string_view kMark = "#ALIQUOT";

bool has_mark(const std::string& line, std::string_view mark) {
  return line.starts_with(mark) &&
         (line.size() == mark.size() || line[mark.size()] == ' ' || line[mark.size()] == '\t');
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

// Adds what a line for Slurm says.
Result<void> read_slurm_line(const std::string& text, int line, JobScript& script) {
  auto read = slurm::read_line(text.substr(slurm::kMark.size()));
  if (!read)
    return fail(read.error().kind, script.file + ":" + std::to_string(line) + ": " + read.error().message);
  for (const std::string& option : read->options) script.places[option] = line;
  for (std::string& option : read->left_out) script.left_out.push_back(std::move(option));
  overlay(script.job, read->job);
  return {};
}

// The first bytes of the file, if it is a script.
std::optional<std::string> head_of_script(const std::string& path) {
  std::error_code fault;
  if (!std::filesystem::is_regular_file(path, fault)) return std::nullopt;
  std::string head(kMaxHead, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return head.starts_with("#!") ? std::optional(std::move(head)) : std::nullopt;
}

// Whether it has any line for us. Like sbatch, no #SBATCH line below the first command is read.
Result<bool> read_lines(const std::string& head, JobScript& script) {
  JobScript own{script.file, {}, {}, {}};
  std::istringstream lines(head);
  bool any = false, in_head = true;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line[first] != '#') in_head = false;
    const bool for_slurm = in_head && has_mark(line, slurm::kMark);
    if (!for_slurm && !has_mark(line, kMark)) continue;
    any = true;
    if (!in_head)
      return wrong(script.file, number,
                   "stands below the first command; move it to the head of the script");
    auto read = for_slurm ? read_slurm_line(line, number, script) : read_line(line, number, own);
    if (!read) return tl::unexpected<Error>(read.error());
  }
  overlay(script.job, own.job);
  for (const auto& [option, line] : own.places) script.places[option] = line;
  return any;
}

}  // namespace

void declare_job_options(CLI::App& app, JobText& job) {
  for (const JobKey& key : job_keys()) {
    const std::string name = std::string("--") + key.name + (key.also ? std::string(",") + key.also : "");
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
  app.add_flag("--singleton", job.singleton, "not before earlier jobs of its name and user have ended");
  app.add_flag("--contiguous", job.contiguous, "on nodes that stand side by side");
}

Result<std::optional<JobScript>> script_of(const std::vector<std::string>& command) {
  if (command.empty()) return std::nullopt;
  const auto head = head_of_script(command[0]);
  if (!head) return std::nullopt;
  JobScript script{command[0], {}, {}, {}};
  const auto any = read_lines(*head, script);
  if (!any) return tl::unexpected<Error>(any.error());
  const bool is_path = command[0].find('/') != std::string::npos;
  if (!*any && !is_path && !locate_program(command[0]).empty()) return std::nullopt;
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
