#include "manager/hypervisor/guest_image.hpp"

#include <algorithm>

#include "manager/hypervisor/archive_memory.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/newc.hpp"
#include "manager/hypervisor/vm_shares.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kLongestCommand = std::size_t{1} << 20;
constexpr std::size_t kBoundary = 512;
constexpr std::uint32_t kReadableFile = 0100644;

bool is_sha256(const std::string& text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string ended_by_nul(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all.append(text).push_back('\0');
  return all;
}

Result<void> append(const std::string& path, const Writer& out) {
  const auto size = copy_file_to(path, static_cast<std::size_t>(kLargestArchive.raw), out);
  if (!size) return tl::unexpected(size.error());
  return out(std::string((kBoundary - *size % kBoundary) % kBoundary, '\0'));
}

}  // namespace

std::string linux_cmdline(const GuestFiles& guest, const TaskNumbers& numbers, Memory max_output) {
  constexpr std::size_t kLongest = 1024;
  std::string line = read_head(guest.parameters, kLongest).value_or("");
  line.erase(std::min(line.find('\n'), line.size()));
  if (line.empty()) line = "console=ttyS0 quiet panic=-1";
  const auto tell = [&line](const char* key, std::uint64_t value) {
    line += std::string(" aliquot.") + key + "=" + std::to_string(value);
  };
  tell("job", numbers.job.raw);
  tell("task", numbers.task);
  tell("tasks", numbers.tasks);
  tell("units", numbers.units);
  tell("first_unit", numbers.first_unit);
  tell("all_units", numbers.all_units);
  tell("output", static_cast<std::uint64_t>(max_output.raw));
  if (numbers.network && numbers.network->is_site())
    line += " aliquot.network=dhcp";
  else if (numbers.network)
    line += " aliquot.network=" + print_ipv4(numbers.network->addresses) +
            " aliquot.mtu=" + std::to_string(numbers.network->mtu);
  return line;
}

Result<std::string> command_archive(const std::vector<std::string>& argv, const JobData& data,
                                    const std::vector<NfsShare>& shares) {
  if (argv.empty() || argv.front().empty()) {
    return fail(ErrorKind::invalid_argument, "a task needs a command; give one after `--`");
  }
  for (const std::string& argument : argv) {
    if (argument.find('\0') != std::string::npos) {
      return fail(ErrorKind::invalid_argument, "an argument of the command holds a NUL character");
    }
  }
  const std::string content = ended_by_nul(argv);
  if (content.size() > kLongestCommand) {
    return fail(ErrorKind::too_large, "the command has " + std::to_string(content.size()) +
                                          " bytes; at most 1 MiB fits: pass a file instead");
  }
  std::vector<NewcEntry> entries{{"aliquot/argv", kReadableFile, content}};
  if (!data.env.empty()) entries.push_back({"aliquot/env", kReadableFile, ended_by_nul(data.env)});
  if (!data.workdir.empty()) entries.push_back({"aliquot/workdir", kReadableFile, data.workdir});
  if (!data.stage_out.empty())
    entries.push_back(
        {"aliquot/stage-out", kReadableFile,
         ended_by_nul({std::to_string(data.stage_out_max.raw)}) + ended_by_nul(data.stage_out)});
  if (!shares.empty()) entries.push_back({"aliquot/shares", kReadableFile, mount_list(shares)});
  return newc_archive(entries);
}

Result<void> compose_initrd(const GuestFiles& guest, const Spool& spool, JobId job,
                            const LinuxCommand& command, const JobData& data,
                            const std::vector<NfsShare>& shares) {
  const bool has_archive = !command.archive_sha256.empty();
  if (has_archive && !is_sha256(command.archive_sha256)) {
    return fail(ErrorKind::invalid_argument,
                "the name of an archive is its SHA-256 in 64 lower-case hexadecimal digits");
  }
  const auto own = command_archive(command.argv, data, shares);
  if (!own) return tl::unexpected(own.error());
  if (auto made = make_directories(spool.directory(job)); !made) return made;
  return write_atomically(spool.initrd(job), [&](const Writer& out) -> Result<void> {
    if (auto done = append(guest.initrd, out); !done) return done;
    if (!shares.empty()) {
      if (auto done = append(guest.shares, out); !done) return done;
    }
    if (has_archive) {
      if (auto done = append(spool.content(command.archive_sha256), out); !done) return done;
    }
    return out(*own);
  });
}

}  // namespace aliquot
