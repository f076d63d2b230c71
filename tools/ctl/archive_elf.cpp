#include "tools/ctl/archive_elf.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "tools/ctl/program_output.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kHeaders = 65536;  // more than linkers put before the name of the loader

template <class T>
bool read_at(std::string_view content, std::uint64_t offset, T& out) {
  if (offset > content.size() || content.size() - offset < sizeof out) return false;
  std::memcpy(&out, content.data() + offset, sizeof out);
  return true;
}

}  // namespace

Result<std::string> elf_interpreter(std::string_view content, const std::string& name) {
  Elf64_Ehdr header;
  if (!read_at(content, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) {
    return fail(ErrorKind::unsupported, name +
                                            " is neither a script nor a program for 64-bit x86, which is "
                                            "what task guests run; build it for that processor");
  }
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (header.e_phentsize != sizeof segment ||
        !read_at(content, header.e_phoff + i * sizeof segment, segment)) {
      return fail(ErrorKind::invalid_argument, name + " is a damaged ELF file: its headers end too early");
    }
    if (segment.p_type != PT_INTERP) continue;
    if (segment.p_offset > content.size() || segment.p_filesz > content.size() - segment.p_offset ||
        segment.p_filesz < 2 || segment.p_filesz > kMaxPath) {
      return fail(ErrorKind::invalid_argument, name + " is a damaged ELF file: its loader's name is cut");
    }
    const std::string_view path = content.substr(segment.p_offset, segment.p_filesz);
    return std::string(path.substr(0, path.find('\0')));
  }
  return std::string();
}

Result<std::string> elf_interpreter_of(const std::filesystem::path& program) {
  std::string head(kHeaders, '\0');
  std::ifstream file(program, std::ios::binary);
  if (!file)
    return fail(ErrorKind::not_found, "cannot read " + program.string() + "; check its permissions");
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return elf_interpreter(head, program.string());
}

Result<std::vector<std::string>> parse_library_list(std::string_view output, const std::string& program) {
  std::vector<std::string> paths;
  while (!output.empty()) {
    const std::size_t end = output.find('\n');
    std::string_view line = output.substr(0, end);
    output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (const std::size_t arrow = line.find(" => "); arrow != std::string_view::npos) {
      if (line.substr(arrow + 4).starts_with("not found")) {
        return fail(
            ErrorKind::not_found,
            program + " needs " + std::string(line.substr(0, arrow)) +
                ", which the loader does not find; install it (LD_LIBRARY_PATH does not travel), or "
                "link the program statically");
      }
      line.remove_prefix(arrow + 4);
    }
    // "/path/name.so (0x...)"; the kernel's own linux-vdso has no path and needs none.
    const std::size_t address = line.rfind(" (0x");
    if (line.starts_with('/') && address != std::string_view::npos)
      paths.emplace_back(line.substr(0, address));
  }
  return paths;
}

Result<std::vector<std::string>> list_libraries(const std::string& loader, const std::string& program) {
  const auto listed = output_of({loader, "--list", program});
  if (!listed) return tl::unexpected(listed.error());
  auto paths = parse_library_list(listed->text, program);
  if (paths && !listed->succeeded) {
    return fail(ErrorKind::unsupported, loader + " cannot list the libraries of " + program + ": " +
                                            listed->text.substr(0, listed->text.find('\n')).substr(0, 200));
  }
  return paths;
}

}  // namespace aliquot
