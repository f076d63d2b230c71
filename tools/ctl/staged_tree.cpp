#include "tools/ctl/staged_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "manager/hypervisor/descriptor.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxEntries = 500'000;
constexpr std::uint32_t kReadable = S_IFREG | 0644;

tl::unexpected<Error> cannot_read(const fs::path& path, int reason) {
  const ErrorKind kind = reason == EACCES || reason == EPERM ? ErrorKind::forbidden : ErrorKind::not_found;
  return fail(kind, "cannot read " + path.string() + ": " + std::strerror(reason) +
                        (kind == ErrorKind::forbidden ? "; only what you may read can be staged in" : ""));
}

tl::unexpected<Error> too_large(const fs::path& path, std::uint64_t at_most) {
  return fail(ErrorKind::too_large, "the input files take more than the " + std::to_string(at_most >> 20) +
                                        " MiB that are left of limits.max_stage_in (at " + path.string() +
                                        "): take fewer or smaller ones, or put them into a disk image "
                                        "(`aliquot image add`)");
}

tl::unexpected<Error> too_many(const fs::path& path) {
  return fail(ErrorKind::too_large, "the input files are more than " + std::to_string(kMaxEntries) +
                                        " (at " + path.string() +
                                        "); pack them into one file, for example with tar");
}

class TreeReader {
 public:
  TreeReader(fs::path root, fs::path inside, std::uint64_t at_most)
      : root_(std::move(root)), inside_(std::move(inside)), at_most_(at_most) {}

  Result<void> add(const fs::path& path);
  StagedTree take() { return std::move(tree_); }

 private:
  Result<void> add_directory(const fs::path& path, std::uint32_t permissions);
  Result<void> add_link(const fs::path& path);
  Result<void> enter(const fs::path& path, PackedEntry entry);

  fs::path root_;
  fs::path inside_;  // the guest, what it becomes
  std::uint64_t at_most_;
  std::uint64_t size_ = 0;  // in the archive
  StagedTree tree_;
};

Result<void> TreeReader::enter(const fs::path& path, PackedEntry entry) {
  const fs::path rest = path.lexically_relative(root_);
  const fs::path there = rest == "." ? inside_ : inside_ / rest;
  entry.path = there.relative_path().string();
  size_ += entry.size + entry.content.size() + entry.path.size() + 128;
  if (size_ > at_most_) return too_large(path, at_most_);
  if (tree_.entries.size() >= kMaxEntries) return too_many(path);
  tree_.entries.push_back(std::move(entry));
  return {};
}

Result<void> TreeReader::add_link(const fs::path& path) {
  std::error_code fault;
  const fs::path target = fs::read_symlink(path, fault);
  if (fault) return cannot_read(path, fault.value());
  // Where it leads in the end: by way of further links, too.
  const fs::path end = fs::weakly_canonical(path.parent_path() / target, fault);
  const fs::path rest = fault || target.is_absolute() ? fs::path("..") : end.lexically_relative(root_);
  if (rest.empty() || *rest.begin() == "..")
    return fail(ErrorKind::refused, path.string() + " is a link to " + target.string() +
                                        ", which leads out of " + root_.string() +
                                        "; copy what it names into the directory, or remove the link");
  return enter(path, {{}, S_IFLNK | 0777, target.string()});
}

Result<void> TreeReader::add_directory(const fs::path& path, std::uint32_t permissions) {
  // In a guest without any right for its owner, root itself can enter it.
  if (auto entered = enter(path, {{}, S_IFDIR | permissions}); !entered) return entered;
  std::error_code fault;
  std::vector<fs::path> names;
  for (fs::directory_iterator at(path, fault), end; !fault && at != end; at.increment(fault)) {
    names.push_back(at->path());
    if (names.size() > kMaxEntries) return too_many(path);
  }
  if (fault) return cannot_read(path, fault.value());
  std::ranges::sort(names);  // equal files give equal bytes
  for (const fs::path& name : names)
    if (auto added = add(name); !added) return added;
  return {};
}

Result<void> TreeReader::add(const fs::path& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return cannot_read(path, errno);
  const std::uint32_t permissions = found.st_mode & 0777;
  if (S_ISLNK(found.st_mode)) return add_link(path);
  if (S_ISDIR(found.st_mode)) return add_directory(path, permissions);
  if (!S_ISREG(found.st_mode))
    return fail(ErrorKind::refused, path.string() + " is neither a file nor a directory; leave it out");
  auto entry = read_regular(path, {}, at_most_ - size_);
  if (!entry) return tl::unexpected(entry.error());
  tree_.input.size += Memory{static_cast<std::int64_t>(entry->size)};
  entry->mode = S_IFREG | permissions;
  return enter(path, std::move(*entry));
}

}  // namespace

Result<PackedEntry> read_regular(const fs::path& path, const std::string& there, std::uint64_t at_most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat found {};
  if (!file.is_open() || ::fstat(file.get(), &found) != 0) return cannot_read(path, errno);
  if (!S_ISREG(found.st_mode)) return fail(ErrorKind::refused, path.string() + " is not a regular file");
  const auto size = static_cast<std::uint64_t>(found.st_size);
  if (size > at_most) return too_large(path, at_most);
  if (size > kLargestEntry)
    return fail(ErrorKind::too_large, path.string() +
                                          " has 4 GiB or more, which the archive of the input "
                                          "files cannot hold; put it into a disk image");
  return PackedEntry{there, kReadable, {}, path, size};
}

Result<StagedTree> read_staged(const fs::path& path, const fs::path& into, std::uint64_t at_most) {
  std::error_code fault;
  const fs::path named = fs::absolute(path, fault).lexically_normal();
  const fs::path real = fs::canonical(named, fault);
  if (fault) return cannot_read(path, fault.value());
  // "data/" and "." have names, too; a link gives its own name to what it leads to.
  const fs::path plain = named.has_filename() ? named : named.parent_path();
  const std::string name = plain.filename().string();
  if (name.empty() || real == "/")
    return fail(ErrorKind::refused, "the whole file system of this machine is no input; name a directory");
  TreeReader reader(real, into / name, at_most);
  if (auto added = reader.add(real); !added) return tl::unexpected(added.error());
  StagedTree tree = reader.take();
  tree.input.name = name;
  return tree;
}

}  // namespace aliquot
