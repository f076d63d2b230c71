#include "tools/ctl/archive.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

#include "tools/ctl/archive_elf.hpp"
#include "tools/ctl/archive_mpi.hpp"
#include "tools/ctl/archive_python.hpp"
#include "tools/ctl/locate.hpp"
#include "tools/ctl/staged_tree.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kProgram = 0100755, kText = 0100644, kLink = 0120777;
constexpr int kMaxInterpreters = 4;  // a script of a script of ...; the kernel itself stops at five

// Where the guest mounts file systems of its own, over whatever an archive puts there; and its first
// process.
constexpr std::array<std::string_view, 4> kGuestOwn = {"/dev", "/proc", "/sys", "/init"};

// Directories every loader searches without /etc/ld.so.cache.
constexpr std::array<std::string_view, 6> kLoaderOwn = {
    "/lib", "/usr/lib", "/lib64", "/usr/lib64", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"};

// What the guest's busybox has and users name most: these need not be on the submitting machine.
constexpr std::array<std::string_view, 40> kGuestCommands = {
    "ash",   "awk",  "basename", "busybox", "cat",  "cp",   "cut",  "date",  "dd",        "df",
    "echo",  "env",  "expr",     "false",   "find", "free", "grep", "head",  "ls",        "md5sum",
    "mkdir", "mv",   "printf",   "ps",      "rm",   "sed",  "seq",  "sh",    "sha256sum", "sleep",
    "sort",  "tail", "tar",      "test",    "time", "tr",   "true", "uname", "wc",        "yes"};

// Interpreters that open modules of their own while they run, as they are named in a first line or as a
// command; python3 is none of them.
constexpr std::array<std::string_view, 12> kWithModules = {
    "perl", "ruby", "node", "nodejs", "R", "Rscript", "java", "julia", "php", "lua", "guile", "tclsh"};

// "perl" of "perl5.36".
std::string name_without_version(const fs::path& program) {
  const std::string name = program.filename().string();
  return name.substr(0, name.find_first_of("0123456789.-"));
}

class Packer {
 public:
  explicit Packer(std::uint64_t at_most) : at_most_(at_most) {}
  // A program or script with all that starts it.
  Result<bool> add_program(const fs::path& path, int interpreters = 0);
  Result<bool> add(const fs::path& path, std::uint32_t mode, std::string content);
  // The launcher of the MPI that what is packed already was built with, or of the one that is named; says
  // which.
  Result<MpiKind> add_mpi(const std::string& name);
  // An input file or directory, into this directory of the guest.
  Result<StagedInput> add_input(const fs::path& path, const fs::path& into);
  Result<StagedInput> add_stdin(const fs::path& path);
  // In an order that does not depend on how they were found.
  [[nodiscard]] std::vector<PackedEntry> entries();
  // Of what has been added.
  [[nodiscard]] std::vector<std::string> warnings() const { return warnings_; }

 private:
  Result<bool> add_script(const fs::path& path, const std::string& content, int interpreters);
  Result<bool> add_dynamic(const fs::path& path, const std::string& loader);
  Result<bool> add_python(const fs::path& interpreter, const std::string& loader);
  // A library that a program opens by name while it runs.
  Result<bool> add_plugin(const fs::path& file, const std::string& loader);
  Result<bool> add_text(const fs::path& file);
  // The file's content, which is now in the archive: under its real path, with a link from `path` to it.
  Result<std::string> add_file(const fs::path& path, std::uint32_t mode);

  void enter(PackedEntry entry);
  [[nodiscard]] std::uint64_t left() const { return at_most_ - std::min<std::uint64_t>(at_most_, size_); }

  std::map<std::string, PackedEntry> entries_;
  std::vector<std::string> warnings_;
  std::uint64_t at_most_;
  std::uint64_t size_ = 0;
};

Result<bool> Packer::add(const fs::path& path, std::uint32_t mode, std::string content) {
  const std::string name = path.relative_path().string();
  if (entries_.contains(name)) return true;
  size_ += content.size() + name.size() + 128;
  if (size_ > kMaxArchive) {
    return fail(ErrorKind::too_large, "the command and its libraries take more than 64 MiB (at " +
                                          path.string() + "); strip the program or link less into it");
  }
  entries_.emplace(name, PackedEntry{name, mode, std::move(content)});
  return true;
}

// Its size was looked at already.
void Packer::enter(PackedEntry entry) {
  size_ += entry.size + entry.content.size() + entry.path.size() + 128;
  const std::string name = entry.path;
  entries_.emplace(name, std::move(entry));
}

Result<std::string> Packer::add_file(const fs::path& path, std::uint32_t mode) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  const auto size = error ? 0 : fs::file_size(real, error);
  if (error) return fail(ErrorKind::not_found, "cannot read " + path.string() + ": " + error.message());
  for (const std::string_view own : kGuestOwn) {
    if (real == own || real.string().starts_with(std::string(own) + "/")) {
      return fail(ErrorKind::invalid_argument,
                  real.string() + " is where the guest has files of its own; copy the program elsewhere");
    }
  }
  if (size > kMaxArchive) {
    return fail(ErrorKind::too_large, path.string() + " is larger than 64 MiB, which an archive can hold");
  }
  std::ifstream file(real, std::ios::binary);
  std::string content(size, '\0');
  if (!file.read(content.data(), static_cast<std::streamsize>(size))) {
    return fail(ErrorKind::not_found, "cannot read " + path.string() + "; check its permissions");
  }
  if (const auto added = add(real, mode, content); !added) return tl::unexpected(added.error());
  if (real != path) {
    if (const auto added = add(path, kLink, real.string()); !added) return tl::unexpected(added.error());
  }
  return content;
}

Result<bool> Packer::add_program(const fs::path& path, int interpreters) {
  const Result<std::string> content = add_file(path, kProgram);
  if (!content) return tl::unexpected(content.error());
  if (content->starts_with("#!")) return add_script(path, *content, interpreters);
  const Result<std::string> loader = elf_interpreter(*content, path.string());
  if (!loader) return tl::unexpected(loader.error());
  if (!loader->empty())
    if (auto added = add_dynamic(path, *loader); !added) return added;
  if (const std::string name = name_without_version(path);
      std::ranges::find(kWithModules, name) != kWithModules.end())
    warnings_.push_back(
        name +
        " travels without its modules: stage in those that it opens (--stage-in), or run it in "
        "a disk image that has them (--image)");
  return is_python(path) ? add_python(path, *loader) : true;
}

Result<bool> Packer::add_python(const fs::path& interpreter, const std::string& loader) {
  const auto files = python_library(interpreter);
  if (!files) return tl::unexpected(files.error());
  for (const std::string& file : *files) {
    const auto added = file.ends_with(".so") ? add_plugin(file, loader) : add_text(file);
    if (!added) return added;
  }
  return true;
}

Result<bool> Packer::add_text(const fs::path& file) {
  const auto added = add_file(file, kText);
  return added ? Result<bool>(true) : tl::unexpected(added.error());
}

Result<bool> Packer::add_plugin(const fs::path& file, const std::string& loader) {
  if (auto added = add_file(file, kProgram); !added) return tl::unexpected(added.error());
  if (loader.empty()) return true;
  // One whose libraries are not installed cannot be loaded here either.
  const auto needed = list_libraries(loader, file.string());
  for (const std::string& library : needed.value_or(std::vector<std::string>()))
    if (auto added = add_file(library, kProgram); !added) return tl::unexpected(added.error());
  return true;
}

Result<MpiKind> Packer::add_mpi(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [path, entry] : entries_) names.push_back(path);
  const auto kind = name == kAnyMpi ? mpi_of(names) : mpi_kind(name);
  if (!kind)
    return fail(ErrorKind::invalid_argument,
                "the command is linked with neither MPICH nor Open MPI; if it loads one while it runs, say "
                "which: --mpi mpich or --mpi openmpi");
  const auto launcher = mpi_launcher(*kind);
  if (!launcher) return tl::unexpected(launcher.error());
  for (const fs::path& program : launcher->programs)
    if (auto added = add_program(program); !added) return tl::unexpected(added.error());
  const auto loader = elf_interpreter_of(launcher->programs[0]);
  if (!loader) return tl::unexpected(loader.error());
  for (const fs::path& plugin : launcher->plugins)
    if (auto added = add_plugin(plugin, *loader); !added) return tl::unexpected(added.error());
  for (const fs::path& text : launcher->texts)
    if (auto added = add_text(text); !added) return tl::unexpected(added.error());
  return *kind;
}

Result<bool> Packer::add_script(const fs::path& path, const std::string& content, int interpreters) {
  std::istringstream line(content.substr(2, content.find('\n') - 2).substr(0, 256));
  std::string interpreter, argument;
  line >> interpreter >> argument;
  if (interpreters == kMaxInterpreters) {
    return fail(ErrorKind::invalid_argument,
                path.string() + ": too many scripts that interpret each other");
  }
  if (!interpreter.starts_with('/') || !is_runnable(interpreter)) {
    return fail(ErrorKind::not_found, path.string() + " wants the interpreter '" + interpreter +
                                          "', which is not a program here; correct its first line");
  }
  const Result<bool> added = add_program(interpreter, interpreters + 1);
  if (!added || fs::path(interpreter).filename() != "env") return added;
  if (argument == "-S") line >> argument;
  const fs::path program = locate_program(argument);
  if (program.empty()) {
    return fail(ErrorKind::not_found,
                path.string() + " wants '" + argument + "' from PATH; it is not there");
  }
  return add_program(program, interpreters + 1);
}

Result<bool> Packer::add_dynamic(const fs::path& path, const std::string& loader) {
  auto needed = list_libraries(loader, path.string());
  if (!needed) return tl::unexpected(needed.error());
  needed->push_back(loader);
  bool elsewhere = false;
  for (const std::string& file : *needed) {
    if (const auto added = add_file(file, kProgram); !added) return tl::unexpected(added.error());
    const std::string folder = fs::path(file).parent_path().string();
    elsewhere |= std::find(kLoaderOwn.begin(), kLoaderOwn.end(), folder) == kLoaderOwn.end();
  }
  // Libraries in other places (/usr/local/lib, a folder of ld.so.conf) are found through the cache.
  const fs::path cache = "/etc/ld.so.cache";
  return elsewhere && fs::exists(cache) ? add_text(cache) : true;
}

Result<StagedInput> Packer::add_input(const fs::path& path, const fs::path& into) {
  auto tree = read_staged(path, into, left());
  if (!tree) return tl::unexpected(tree.error());
  const std::string top = (into / tree->input.name).relative_path().string();
  if (entries_.contains(top))
    return fail(ErrorKind::invalid_argument, path.string() + " would stand at /" + top +
                                                 " in the guest, where there is another file of the job "
                                                 "already; take another name, or another --workdir");
  for (PackedEntry& entry : tree->entries) enter(std::move(entry));
  return std::move(tree->input);
}

Result<StagedInput> Packer::add_stdin(const fs::path& path) {
  auto entry = read_regular(path, "aliquot/stdin", left());
  if (!entry) return tl::unexpected(entry.error());
  StagedInput input{path.filename().string(), {static_cast<std::int64_t>(entry->size)}};
  enter(std::move(*entry));
  return input;
}

std::vector<PackedEntry> Packer::entries() {
  std::vector<PackedEntry> in_order;
  in_order.reserve(entries_.size());
  for (auto& [name, entry] : entries_) in_order.push_back(std::move(entry));
  return in_order;
}

// The program, if it is one of this machine, and what starts it; in an MPI job, by way of the guest's
// aliquot-mpi. Whether it is.
Result<bool> add_command(Packer& packer, const CommandFiles& files, std::vector<std::string>& argv) {
  if (argv.empty() || argv[0].empty()) {
    return fail(ErrorKind::invalid_argument, "there is no command; put it after --");
  }
  const fs::path program = locate_program(argv[0]);
  if (program.empty()) {
    if (std::find(kGuestCommands.begin(), kGuestCommands.end(), argv[0]) != kGuestCommands.end()) {
      return false;
    }
    return fail(ErrorKind::not_found, "'" + argv[0] +
                                          "' is not a program that can be run on this machine; "
                                          "check the name and PATH, or write `busybox " +
                                          argv[0] + "` for one of the guest's own");
  }
  if (auto added = packer.add_program(program); !added) return added;
  if (!files.mpi) return packer.add("/aliquot/program", kText, program.string());
  const auto kind = packer.add_mpi(*files.mpi);
  if (!kind) return tl::unexpected(kind.error());
  argv[0] = program.string();
  argv.insert(argv.begin(), {"aliquot-mpi", name_of(*kind)});
  return true;
}

Result<void> add_inputs(Packer& packer, const CommandFiles& files, PackedCommand& packed) {
  for (const std::string& path : files.stage_in) {
    auto input = packer.add_input(path, files.workdir);
    if (!input) return tl::unexpected(input.error());
    packed.stage_in.push_back(std::move(*input));
  }
  if (!files.stdin_file) return {};
  auto input = packer.add_stdin(*files.stdin_file);
  if (!input) return tl::unexpected(input.error());
  packed.stdin_file = std::move(*input);
  return {};
}

Result<PackedCommand> pack(const CommandFiles& files, bool with_program) {
  Packer packer(files.at_most);
  PackedCommand packed;
  packed.argv = files.argv;
  const Result<bool> has_program = with_program ? add_command(packer, files, packed.argv) : false;
  if (!has_program) return tl::unexpected(has_program.error());
  if (auto added = add_inputs(packer, files, packed); !added) return tl::unexpected(added.error());
  if (*has_program || !packed.stage_in.empty() || packed.stdin_file) packed.entries = packer.entries();
  packed.warnings = packer.warnings();
  return packed;
}

}  // namespace

Result<PackedCommand> pack_command(const CommandFiles& files) { return pack(files, true); }

Result<PackedCommand> pack_inputs(const CommandFiles& files) { return pack(files, false); }

}  // namespace aliquot
