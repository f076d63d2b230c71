// guest_pack COMMAND ARGS...: writes to standard output what stands behind the base initrd of a job that
// runs COMMAND: the archive of pack_command, then the archive with aliquot/argv (docs/guest-contract.md).
#include <cstdio>
#include <string>
#include <vector>

#include "manager/hypervisor/newc.hpp"
#include "tools/ctl/archive.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> command(argv + 1, argv + argc);
  const auto archive = aliquot::pack_command({command}).and_then(
      [](const aliquot::PackedCommand& packed) { return aliquot::archive_in_memory(packed.entries); });
  if (!archive) {
    std::fprintf(stderr, "guest_pack: %s\n", archive.error().message.c_str());
    return 1;
  }
  std::string joined;
  for (const std::string& argument : command) joined += argument + '\0';
  const std::string all = *archive + aliquot::newc_archive({{"aliquot/argv", 0100644, joined}});
  return std::fwrite(all.data(), 1, all.size(), stdout) == all.size() ? 0 : 1;
}
