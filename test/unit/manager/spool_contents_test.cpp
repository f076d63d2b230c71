// What a start of the manager does to the contents of the spool that no job needs.
#include <filesystem>
#include <fstream>

#include "test/unit/manager/running_daemon.hpp"

namespace aliquot {
namespace {

TEST(SpoolContents, AStartRemovesWhatNoJobNeeds) {
  const test::TemporaryDirectory directory;
  const std::string left = directory.file("spool/content/") + std::string(64, 'a');
  test::RunningDaemon manager(directory);
  manager.start();
  manager.stop();
  std::ofstream(left) << "the kernel of a submission that was never acknowledged";
  manager.start();
  manager.stop();
  EXPECT_FALSE(std::filesystem::exists(left));
}

}  // namespace
}  // namespace aliquot
