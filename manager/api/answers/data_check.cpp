#include "manager/api/answers/data_check.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "config/quantities.hpp"
#include "manager/api/wire/message_text.hpp"

namespace aliquot {

namespace {

tl::unexpected<Error> wrong(std::string text) { return fail(ErrorKind::invalid_argument, std::move(text)); }

// The guest mounts its own file systems there, or keeps the command there.
constexpr std::array<std::string_view, 4> kGuestOwn = {"/dev", "/proc", "/sys", "/aliquot"};

bool is_plain(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

bool goes_up(const std::string& path) { return ("/" + path + "/").find("/../") != std::string::npos; }

bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

Result<void> check_variable(const std::string& variable) {
  const std::size_t end = variable.find('=');
  const std::string name = variable.substr(0, end);
  if (end == std::string::npos || !is_variable_name(name))
    return wrong("the environment variable " + wire::in_quotes(variable.substr(0, 64)) +
                 " is no NAME=VALUE; a name has letters, digits and _, and begins with no digit");
  if (name.starts_with("ALIQUOT_"))
    return wrong("the environment variable " + name +
                 " is the manager's own, as all that begin with ALIQUOT_; take another name");
  return {};
}

Result<void> check_workdir(const std::string& path) {
  if (path.empty()) return {};
  const std::string what = "the working directory " + wire::in_quotes(path);
  if (!path.starts_with('/') || goes_up(path) || !is_plain(path))
    return wrong(what + " must be an absolute path in the guest, without .. and control characters");
  for (const std::string_view own : kGuestOwn)
    if ((path + "/").starts_with(std::string(own) + "/"))
      return wrong(what + " is the guest's own; take another, for example /job");
  return {};
}

Result<void> check_inputs(const JobData& data, bool has_archive) {
  std::set<std::string> names;
  for (const StagedInput& input : data.stage_in) {
    const std::string& name = input.name;
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
        name.size() > 255 || !is_plain(name))
      return wrong("the input " + wire::in_quotes(name) + " is no name of a file");
    if (!names.insert(name).second) return wrong("two inputs are called " + wire::in_quotes(name));
  }
  if ((data.stage_in.empty() && !data.stdin_file) || has_archive) return {};
  return wrong("the input files are not there; send them in the archive of the command");
}

Result<void> check_results(const JobData& data, const AdmissionRules& rules) {
  for (const std::string& path : data.stage_out)
    if (path.empty() || path.size() > 1024 || goes_up(path) || !is_plain(path))
      return wrong("the result path " + wire::in_quotes(path) +
                   " must be a path in the guest, without .. and control characters");
  if (data.stage_out_max <= rules.limits.max_stage_out) return {};
  return fail(ErrorKind::too_large, "a task may hand out at most " +
                                        print_memory(rules.limits.max_stage_out) +
                                        " (limits.max_stage_out), not " + print_memory(data.stage_out_max) +
                                        "; lower --stage-out-max");
}

}  // namespace

Result<void> check_data(const Submit& asked, const AdmissionRules& rules) {
  const JobData& data = asked.submission.data;
  if (data == JobData{}) return {};
  const auto* image = std::get_if<ImageBoot>(&asked.submission.program);
  if (!std::holds_alternative<LinuxCommand>(asked.submission.program) && (!image || image->argv.empty()))
    return fail(ErrorKind::refused,
                "environment, working directory, input and result files are for a command; the guest of a "
                "kernel or a hash chain, and an image without a command, do not know them: leave them out");
  for (const std::string& variable : data.env)
    if (auto good = check_variable(variable); !good) return good;
  if (auto good = check_workdir(data.workdir); !good) return good;
  if (auto good = check_inputs(data, asked.archive_bytes > 0); !good) return good;
  return check_results(data, rules);
}

}  // namespace aliquot
