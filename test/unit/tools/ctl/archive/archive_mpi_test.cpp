#include "tools/ctl/archive_mpi.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "test/unit/tools/ctl/archive/newc_reader.hpp"
#include "tools/ctl/archive.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

TEST(Mpi, IsKnownByTheLibrariesOfAProgram) {
  EXPECT_EQ(mpi_of({"usr/lib/x86_64-linux-gnu/libmpich.so.12.2.2", "usr/lib/libc.so.6"}), MpiKind::mpich);
  EXPECT_EQ(mpi_of({"/opt/mpich/lib/libmpi.so.12"}), MpiKind::mpich);  // its own name, outside Debian
  EXPECT_EQ(mpi_of({"/usr/lib/libmpi.so.40", "/usr/lib/libopen-pal.so.40"}), MpiKind::openmpi);
  EXPECT_EQ(mpi_of({"/usr/lib/libm.so.6", "/srv/libmpich.so/data"}), std::nullopt);
  for (const MpiKind kind : {MpiKind::mpich, MpiKind::openmpi}) EXPECT_EQ(mpi_kind(name_of(kind)), kind);
  EXPECT_EQ(mpi_kind("auto"), std::nullopt);
}

// A directory that is all of PATH.
class MpiArchive : public testing::Test {
 protected:
  MpiArchive() {
    char name[] = "/tmp/aliquot-mpi-XXXXXX";
    folder_ = fs::canonical(mkdtemp(name));
    setenv("PATH", folder_.c_str(), 1);
  }
  ~MpiArchive() override {
    fs::remove_all(folder_);
    setenv("PATH", path_.c_str(), 1);
  }
  std::string put(const std::string& name, const std::string& content) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << content;
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  static std::string refusal(const CommandFiles& files) {
    const auto packed = pack_command(files);
    return packed ? "packed" : packed.error().message;
  }
  fs::path folder_;
  std::string path_ = getenv("PATH");
};

TEST_F(MpiArchive, ALauncherThatIsNotThereIsNamed) {
  const std::string program = put("program", "#!/bin/sh\n");
  EXPECT_NE(refusal({{program}, {}, {}, {}, "auto"}).find("--mpi mpich or --mpi openmpi"),
            std::string::npos);
  EXPECT_NE(refusal({{program}, {}, {}, {}, "mpich"}).find("mpiexec.hydra is not on this machine"),
            std::string::npos);
  EXPECT_NE(refusal({{program}, {}, {}, {}, "openmpi"}).find("orterun is not on this machine"),
            std::string::npos);
}

TEST_F(MpiArchive, TheGuestStartsTheProgramByItsLauncher) {
  const std::string program = put("program", "#!/bin/sh\n");
  for (const char* name : {"mpiexec.hydra", "hydra_pmi_proxy"}) fs::copy_file("/bin/sh", folder_ / name);
  const auto packed = pack_command({{program, "a b"}, {}, {}, {}, "mpich"});
  ASSERT_TRUE(packed) << packed.error().message;
  EXPECT_EQ(packed->argv, (std::vector<std::string>{"aliquot-mpi", "mpich", program, "a b"}));
  const auto entries = read_newc(archive_in_memory(packed->entries).value());
  EXPECT_FALSE(entries.contains("aliquot/program"));
  for (const char* name : {"program", "mpiexec.hydra", "hydra_pmi_proxy"})
    EXPECT_TRUE(entries.contains((folder_ / name).relative_path())) << name;
}

// What Debian installs, where it is installed: the launcher, its daemon, and plugins with their libraries.
TEST(InstalledMpi, IsWholeInTheArchive) {
  const auto launcher = mpi_launcher(MpiKind::openmpi);
  if (!launcher) GTEST_SKIP() << launcher.error().message;
  const auto packed = pack_command({{"/bin/sh"}, {}, {}, {}, "openmpi"});
  ASSERT_TRUE(packed) << packed.error().message;
  const auto entries = read_newc(archive_in_memory(packed->entries).value());
  const auto has = [&](const std::string& end) {
    return std::ranges::any_of(entries, [&](const auto& entry) { return entry.first.ends_with(end); });
  };
  for (const char* end :
       {"/orterun", "/orted", "/mca_btl_tcp.so", "/mca_pmix_ext3x.so", "/help-mpi-runtime.txt"})
    EXPECT_TRUE(has(end)) << end;
  EXPECT_TRUE(std::ranges::any_of(launcher->plugins, [](const fs::path& file) {
    return file.filename().string().starts_with("pmix_mca_");
  }));
}

}  // namespace
}  // namespace aliquot
