#include "manager/hypervisor/iso9660.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace aliquot {
namespace {

constexpr std::size_t kSector = 2048;
// After the 16 sectors that the standard leaves to the system.
enum Sector : std::uint32_t { kDescriptor = 16, kTerminator, kPathsLittle, kPathsBig, kRoot };

struct Entry {
  std::string name;  // Rock Ridge's
  bool directory = false;
  std::uint32_t sector = 0;
  std::uint32_t bytes = 0;
};
using Directory = std::vector<Entry>;

void put_little(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xFF));
}

void put_big(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = bytes; i-- > 0;) out.push_back(static_cast<char>((value >> (8 * i)) & 0xFF));
}

// Most numbers of this file system stand there in both orders.
void put_both(std::string& out, std::uint64_t value, std::size_t bytes) {
  put_little(out, value, bytes);
  put_big(out, value, bytes);
}

std::size_t sectors_of(std::size_t bytes) { return (bytes + kSector - 1) / kSector; }

void place(std::string& volume, std::uint32_t sector, std::string_view content) {
  volume.replace(sector * kSector, content.size(), content);
}

// The mode, as Rock Ridge has it (PX): readable by all.
std::string mode_field(bool directory) {
  std::string out{'P', 'X', 36, 1};
  put_both(out, directory ? 0040755 : 0100644, 4);
  put_both(out, directory ? 2 : 1, 4);
  put_both(out, 0, 4);  // user
  put_both(out, 0, 4);  // group
  return out;
}

std::string name_field(const std::string& name) {
  return std::string{'N', 'M', static_cast<char>(5 + name.size()), 1, 0} + name;
}

// Says in the root directory that what follows in each record is Rock Ridge (SP, ER).
std::string extension_fields() {
  using namespace std::string_literals;
  return "SP\x07\x01\xbe\xef\0"s + "ER\x12\x01\x0a\0\0\x01RRIP_1991A"s;
}

// `identifier` is the short name for readers that know no extension.
std::string record(const std::string& identifier, const Entry& entry, const std::string& extension) {
  std::string out(1, '\0');
  put_both(out.append(1, '\0'), entry.sector, 4);
  put_both(out, entry.bytes, 4);
  out.append({70, 1, 1, 0, 0, 0, 0});  // 1970-01-01
  out.push_back(entry.directory ? 2 : 0);
  put_both(out.append(2, '\0'), 1, 2);
  out.push_back(static_cast<char>(identifier.size()));
  out.append(identifier);
  if (out.size() % 2 != 0) out.push_back('\0');
  out.append(extension);
  if (out.size() % 2 != 0) out.push_back('\0');
  out[0] = static_cast<char>(out.size());
  return out;
}

std::string short_name(std::size_t number, bool directory) {
  const std::string digits = std::to_string(1000 + number).substr(1);
  return directory ? "D" + digits : "F" + digits + ".;1";
}

// Records in the order of their short names, as the standard demands: D before F.
std::string directory_sector(const Entry& self, const Entry& parent, const Directory& entries, bool root) {
  const std::string mode = mode_field(true);
  std::string out = record(std::string(1, '\0'), self, (root ? extension_fields() : "") + mode);
  out += record(std::string(1, '\1'), parent, mode);
  for (const bool directories : {true, false})
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].directory == directories)
        out += record(short_name(i, directories), entries[i],
                      mode_field(directories) + name_field(entries[i].name));
  return out;
}

std::string path_table(const Directory& root, bool big) {
  const auto put = big ? put_big : put_little;
  std::string out;
  const auto add = [&](const std::string& identifier, std::uint32_t sector) {
    out.push_back(static_cast<char>(identifier.size()));
    put(out.append(1, '\0'), sector, 4);
    put(out, 1, 2);  // the parent is the root
    out.append(identifier);
    if (out.size() % 2 != 0) out.push_back('\0');
  };
  add(std::string(1, '\0'), kRoot);
  for (std::size_t i = 0; i < root.size(); ++i)
    if (root[i].directory) add(short_name(i, true), root[i].sector);
  return out;
}

std::string descriptor(const std::string& label, std::size_t sectors, std::size_t path_bytes) {
  const auto text = [](std::string words, std::size_t length) {
    words.resize(length, ' ');
    return words;
  };
  using namespace std::string_literals;
  std::string out = "\1CD001\1\0"s + text("", 32) + text(label, 32) + std::string(8, '\0');
  put_both(out, sectors, 4);
  put_both(out.append(32, '\0'), 1, 2);  // volumes in the set,
  put_both(out, 1, 2);                   // and which this is
  put_both(out, kSector, 2);
  put_both(out, path_bytes, 4);
  put_little(out, kPathsLittle, 4);
  put_big(out.append(4, '\0'), kPathsBig, 4);
  out.append(4, '\0');
  out += record(std::string(1, '\0'), {"", true, kRoot, kSector}, "");
  out += text("", 128) + text("", 128) + text("", 128) + text("ALIQUOT", 128) + text("", 3 * 37);
  for (int date = 0; date < 4; ++date) out += std::string(16, '0') + '\0';  // none is given
  out.push_back(1);
  return out;
}

tl::unexpected<Error> wrong(const std::string& what) {
  return fail(ErrorKind::invalid_argument, "a volume cannot be written: " + what);
}

// The entries by directory; that of the root is called "". The sectors are not known yet.
Result<std::map<std::string, Directory>> directories_of(const std::vector<VolumeFile>& files) {
  std::map<std::string, Directory> out{{"", {}}};
  for (const VolumeFile& file : files) {
    const std::size_t slash = file.path.find('/');
    const std::string directory = slash == std::string::npos ? "" : file.path.substr(0, slash);
    const std::string name = slash == std::string::npos ? file.path : file.path.substr(slash + 1);
    if (name.empty() || name.size() > 100 || directory.size() > 100 || slash == 0 ||
        name.find('/') != std::string::npos)
      return wrong("`" + file.path + "` is no path of at most one directory and a short name");
    if (!out.contains(directory)) out[""].push_back({directory, true, 0, kSector});
    Directory& entries = out[directory];
    if (std::ranges::count(entries, name, &Entry::name) > 0)
      return wrong(file.path + " stands there twice");
    entries.push_back({name, false, 0, static_cast<std::uint32_t>(file.content.size())});
  }
  return out;
}

}  // namespace

Result<std::string> iso9660_volume(const std::string& label, const std::vector<VolumeFile>& files) {
  auto directories = directories_of(files);
  if (!directories) return tl::unexpected<Error>(directories.error());
  Directory& root = directories->at("");
  std::uint32_t next = kRoot + 1;
  for (Entry& entry : root)
    if (entry.directory) entry.sector = next++;
  std::string contents;
  for (const VolumeFile& file : files) {
    const std::size_t slash = file.path.find('/');
    Directory& entries = directories->at(slash == std::string::npos ? "" : file.path.substr(0, slash));
    const std::string name = file.path.substr(slash == std::string::npos ? 0 : slash + 1);
    std::ranges::find(entries, name, &Entry::name)->sector =
        next + static_cast<std::uint32_t>(sectors_of(contents.size()));
    contents.append(file.content).resize(sectors_of(contents.size()) * kSector, '\0');
  }
  const std::string paths = path_table(root, false);
  std::string out(next * kSector, '\0');
  out += contents;
  place(out, kDescriptor, descriptor(label, out.size() / kSector, paths.size()));
  place(out, kTerminator, std::string(1, '\xff') + "CD001\1");
  place(out, kPathsLittle, paths);
  place(out, kPathsBig, path_table(root, true));
  const Entry top{"", true, kRoot, kSector};
  for (const auto& [name, entries] : *directories) {
    const Entry self = name.empty() ? top : *std::ranges::find(root, name, &Entry::name);
    const std::string sector = directory_sector(self, top, entries, name.empty());
    if (sector.size() > kSector) return wrong("the directory `" + name + "` has too many files");
    place(out, self.sector, sector);
  }
  return out;
}

}  // namespace aliquot
