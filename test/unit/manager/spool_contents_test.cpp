// What a start of the manager does to the contents of the spool that no job needs.
#include <filesystem>
#include <fstream>

#include "test/unit/manager/running_daemon.hpp"

namespace aliquot {
namespace {

TEST(SpoolContents, AnEmptyStoreRemovesNothingAndALaterStartWhatIsUnused) {
  const test::TemporaryDirectory directory;
  const std::string left = directory.file("spool/content/") + std::string(64, 'a');
  std::filesystem::create_directories(directory.file("spool/content"));
  std::ofstream(left) << "the kernel of a job whose store was lost";
  test::RunningDaemon manager(directory);
  manager.start();
  manager.stop();
  EXPECT_TRUE(std::filesystem::exists(left)) << "VMs may run from it";
  manager.start();
  manager.stop();
  EXPECT_FALSE(std::filesystem::exists(left));
}

}  // namespace
}  // namespace aliquot
