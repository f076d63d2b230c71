#include "manager/hypervisor/local_saves.hpp"

#include <sys/random.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongest = 256;
constexpr std::string_view kEnding = ".save";

std::string id_file(const std::string& directory) { return directory + "/saves.id"; }

std::string random_id() {
  std::array<std::uint8_t, 16> bytes{};
  (void)::getrandom(bytes.data(), bytes.size(), 0);
  return to_string(Uuid(bytes));
}

Result<std::string> first_word(const std::string& path) {
  const auto text = read_head(path, kLongest);
  if (!text) return tl::unexpected(text.error());
  std::string word;
  std::istringstream(*text) >> word;
  return word;
}

// A disk that is not mounted leaves an empty directory behind.
Result<void> check_mounted(const LocalSaves& saves) {
  const auto id = first_word(id_file(saves.directory));
  if (id && *id == saves.id) return {};
  return fail(ErrorKind::unavailable, saves.directory + " is not the directory that the agent was given (" +
                                          id_file(saves.directory) + " says so): mount its disk");
}

struct Mark {
  std::string directory_id;
  std::uint32_t incarnation = 0;
};

// None: there is no mark.
Result<std::optional<Mark>> read_mark(const std::string& path) {
  const auto text = read_head(path, kLongest);
  if (!text && text.error().kind == ErrorKind::not_found) return std::nullopt;
  if (!text) return tl::unexpected(text.error());
  Mark mark;
  if (std::istringstream(*text) >> mark.directory_id >> mark.incarnation) return mark;
  return fail(ErrorKind::unavailable,
              path +
                  " is damaged: write the word of the file saves.id of the node that keeps the VM, and "
                  "the number of its incarnation");
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<fs::path> entries_of(const std::string& directory) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (fs::directory_iterator at(directory, failure), end; !failure && at != end; at.increment(failure))
    entries.push_back(at->path());
  return entries;
}

// What cannot be read is not outdated.
bool is_outdated(const Spool& spool, JobId job, const fs::path& image) {
  const std::string name = image.filename();
  const std::size_t ending = name.find(kEnding);
  const auto task = number_in(std::string_view(name).substr(0, ending));
  if (ending == std::string::npos || !task) return false;
  const auto mark = read_mark(spool.kept_mark(job, static_cast<std::uint32_t>(*task)));
  return mark && (!*mark || (*mark)->directory_id != spool.saves().id);
}

}  // namespace

Result<LocalSaves> open_local_saves(const std::string& directory, const std::string& spool_dir) {
  const auto refused = [&](const std::string& why) {
    return fail(ErrorKind::refused, "--saves " + directory + ": " + why);
  };
  if (!directory.starts_with('/')) return refused("write the path from the root");
  std::error_code failure;
  const fs::path real = fs::canonical(directory, failure);
  if (failure || !fs::is_directory(real, failure))
    return refused("there is no such directory; make it on a disk of this machine");
  const fs::path spool = fs::weakly_canonical(spool_dir, failure);
  const auto inside = fs::relative(real, spool, failure);
  if (failure || *inside.begin() != "..")
    return refused(
        "it is inside of the spool, which all nodes share: name a directory on a disk of this "
        "machine, or leave --saves out");
  LocalSaves saves{real, {}};
  if (!file_exists(id_file(saves.directory))) {
    const auto made = write_atomically(id_file(saves.directory),
                                       [](const Writer& write) { return write(random_id() + "\n"); });
    if (!made) return tl::unexpected(made.error());
  }
  auto id = first_word(id_file(saves.directory));
  if (!id) return tl::unexpected(id.error());
  if (id->empty()) return refused("its file saves.id is empty; remove that file if no VM is saved there");
  saves.id = std::move(*id);
  return saves;
}

Result<Keeper> keeper_of(const Spool& spool, const VmIdentity& vm) {
  const auto mark = read_mark(spool.kept_mark(vm.job, vm.task));
  if (!mark) return tl::unexpected(mark.error());
  if (!*mark || (*mark)->incarnation != vm.incarnation) return Keeper::none;
  if (!spool.has_local_saves() || (*mark)->directory_id != spool.saves().id) return Keeper::other_node;
  if (auto mounted = check_mounted(spool.saves()); !mounted) return tl::unexpected(mounted.error());
  return Keeper::here;
}

Result<void> mark_kept(const Spool& spool, const VmIdentity& vm) {
  if (auto mounted = check_mounted(spool.saves()); !mounted) return mounted;
  if (auto made = make_directories(spool.image_directory(vm.job)); !made) return made;
  const std::string text = spool.saves().id + " " + std::to_string(vm.incarnation) + "\n";
  return write_atomically(spool.kept_mark(vm.job, vm.task),
                          [&](const Writer& write) { return write(text); });
}

Result<void> remove_kept_mark(const Spool& spool, JobId job, std::uint32_t task) {
  return remove_file(spool.kept_mark(job, task));
}

void give_up_kept(const Spool& spool, const VmIdentity& vm) {
  const auto keeper = keeper_of(spool, vm);
  if (keeper && *keeper == Keeper::here) (void)remove_kept_mark(spool, vm.job, vm.task);
}

void remove_local_saves(const Spool& spool, JobId job) {
  std::error_code ignored;
  if (spool.has_local_saves()) fs::remove_all(spool.image_directory(job), ignored);
}

void remove_outdated_saves(const Spool& spool, const std::string& cluster) {
  if (!spool.has_local_saves() || first_word(spool.root() + "/cluster.id").value_or("") != cluster) return;
  for (const fs::path& directory : entries_of(spool.saves().directory)) {
    const auto number = number_in(directory.filename().string());
    if (!number) continue;
    for (const fs::path& image : entries_of(directory))
      if (is_outdated(spool, {*number}, image)) (void)remove_file(image);
    std::error_code is_needed;
    fs::remove(directory, is_needed);  // an empty one only
  }
}

}  // namespace aliquot
