#include "tools/ctl/archive_mpi.hpp"

#include <algorithm>
#include <string_view>

#include "tools/ctl/archive_elf.hpp"
#include "tools/ctl/locate.hpp"
#include "tools/ctl/program_output.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

Result<fs::path> installed(const std::string& program, const char* package) {
  const fs::path path = locate_program(program);
  if (!path.empty()) return path;
  return fail(ErrorKind::not_found, "the launcher " + program +
                                        " is not on this machine (Debian: " + package +
                                        "), so --mpi cannot take it along; install it, or "
                                        "submit from where it is");
}

// The files below a directory, in order; none if there is no such directory.
std::vector<fs::path> files_below(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code fault;
  fs::recursive_directory_iterator at(directory, fault);
  for (const fs::recursive_directory_iterator end; !fault && at != end; at.increment(fault))
    if (std::error_code ignored; at->is_regular_file(ignored)) files.push_back(at->path());
  std::ranges::sort(files);
  return files;
}

// Where Open MPI keeps its own: ompi_info answers "path:pkglibdir:/usr/lib/...".
Result<fs::path> openmpi_directory(const fs::path& info, const std::string& which) {
  const auto asked = output_of({info.string(), "--parsable", "--path", which});
  if (!asked) return tl::unexpected<Error>(asked.error());
  const std::string key = "path:" + which + ":";
  const std::size_t at = asked->text.find(key);
  if (!asked->succeeded || at == std::string::npos)
    return fail(ErrorKind::not_found,
                info.string() + " does not say what its " + which + " is; check that it runs here");
  const std::size_t from = at + key.size();
  return fs::path(asked->text.substr(from, asked->text.find('\n', from) - from));
}

// Hydra looks for its proxy beside itself.
Result<MpiLauncher> hydra() {
  const auto launcher = installed("mpiexec.hydra", "mpich");
  if (!launcher) return tl::unexpected<Error>(launcher.error());
  return MpiLauncher{{*launcher, launcher->parent_path() / "hydra_pmi_proxy"}, {}, {}};
}

// The directory of the library of PMIx, which Open MPI's plugin for it needs; empty if there is none.
fs::path pmix_directory(const std::vector<fs::path>& plugins, const std::string& loader) {
  for (const fs::path& plugin : plugins) {
    if (!plugin.filename().string().starts_with("mca_pmix_ext")) continue;
    const auto libraries = list_libraries(loader, plugin.string());
    for (const fs::path library : libraries.value_or(std::vector<std::string>())) {
      std::error_code fault;
      if (library.filename().string().starts_with("libpmix.so"))
        return fs::canonical(library, fault).parent_path();
    }
  }
  return {};
}

void append(std::vector<fs::path>& to, const std::vector<fs::path>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Result<MpiLauncher> orte() {
  MpiLauncher launcher;
  for (const char* program : {"orterun", "orted"}) {
    auto path = installed(program, "openmpi-bin");
    if (!path) return tl::unexpected<Error>(path.error());
    launcher.programs.push_back(std::move(*path));
  }
  const fs::path info = launcher.programs[0].parent_path() / "ompi_info";
  const auto plugins = openmpi_directory(info, "pkglibdir");
  const auto texts = plugins ? openmpi_directory(info, "pkgdatadir") : plugins;
  if (!texts) return tl::unexpected<Error>(texts.error());
  const auto loader = elf_interpreter_of(launcher.programs[0]);
  if (!loader) return tl::unexpected<Error>(loader.error());
  launcher.plugins = files_below(*plugins);
  launcher.texts = files_below(*texts);
  if (const fs::path pmix = pmix_directory(launcher.plugins, *loader); !pmix.empty()) {
    append(launcher.plugins, files_below(pmix / "pmix"));
    append(launcher.texts, files_below(pmix.parent_path() / "share/pmix"));
  }
  std::erase_if(launcher.plugins, [](const fs::path& file) { return file.extension() != ".so"; });
  return launcher;
}

}  // namespace

std::optional<MpiKind> mpi_kind(const std::string& name) {
  for (const MpiKind kind : {MpiKind::mpich, MpiKind::openmpi})
    if (name == name_of(kind)) return kind;
  return std::nullopt;
}

const char* name_of(MpiKind kind) { return kind == MpiKind::mpich ? "mpich" : "openmpi"; }

std::optional<MpiKind> mpi_of(const std::vector<std::string>& libraries) {
  const auto uses = [&](std::string_view begin) {
    return std::ranges::any_of(libraries, [&](const std::string& library) {
      return fs::path(library).filename().string().starts_with(begin);
    });
  };
  if (uses("libopen-pal.so")) return MpiKind::openmpi;
  if (uses("libmpich.so") || uses("libmpi.so.12")) return MpiKind::mpich;
  return std::nullopt;
}

Result<MpiLauncher> mpi_launcher(MpiKind kind) { return kind == MpiKind::mpich ? hydra() : orte(); }

}  // namespace aliquot
