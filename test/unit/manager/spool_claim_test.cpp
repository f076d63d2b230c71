// A spool belongs to one cluster and has one manager: whatever else is refused at the start, and changes
// nothing.
#include "manager/spool_claim.hpp"

#include <filesystem>
#include <fstream>

#include "test/unit/manager/running_daemon.hpp"

namespace aliquot {
namespace {

class SpoolOwner : public ::testing::Test {
 protected:
  // A cluster that has run once.
  void run_once() {
    test::RunningDaemon manager(directory_);
    manager.start();
    manager.stop();
  }
  // The error with which a manager with this state directory is refused.
  Error refused(const std::string& state) {
    test::RunningDaemon manager(directory_);
    manager.settings.state_dir = directory_.file(state);
    const auto ran = run_manager(
        manager.settings,
        [&] {
          return LoadedSettings{manager.settings, {}};
        },
        -1);
    EXPECT_FALSE(ran);
    return ran ? Error{ErrorKind::internal, "it ran"} : ran.error();
  }
  static bool says(const Error& error, const std::string& text) {
    return error.message.find(text) != std::string::npos;
  }

  const test::TemporaryDirectory directory_;
};

TEST_F(SpoolOwner, ALostStoreBesideAUsedSpoolIsRefusedAtEveryStart) {
  run_once();
  std::filesystem::remove_all(directory_.file("state"));
  for (int start = 0; start < 2; ++start) {
    const Error error = refused("state");
    EXPECT_EQ(error.kind, ErrorKind::refused);
    EXPECT_TRUE(says(error, "the store is new")) << error.message;
    EXPECT_TRUE(says(error, "aliquot db restore")) << error.message;
  }
}

TEST_F(SpoolOwner, ANewStoreBesideASpoolThatAnEarlierVersionUsedIsRefused) {
  std::filesystem::create_directories(directory_.file("spool/7"));
  EXPECT_TRUE(says(refused("state"), "the store is new")) << "a job's directory";
  EXPECT_TRUE(says(refused("state"), "the store is new")) << "at the second start, too";
  std::filesystem::remove(directory_.file("spool/7"));
  run_once();
}

TEST_F(SpoolOwner, TheStoreOfAnotherClusterIsRefused) {
  run_once();
  test::RunningDaemon other(directory_);
  other.settings.state_dir = directory_.file("other");
  other.settings.spool_dir = directory_.file("elsewhere");
  other.start();
  other.stop();
  const Error error = refused("other");
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_TRUE(says(error, "belongs to cluster")) << error.message;
}

TEST_F(SpoolOwner, ASecondManagerIsToldWhichOneUsesTheSpool) {
  test::RunningDaemon manager(directory_);
  manager.start();
  const Error error = refused("other");
  EXPECT_EQ(error.kind, ErrorKind::conflict);
  EXPECT_TRUE(says(error, "process " + std::to_string(getpid()))) << error.message;
}

TEST_F(SpoolOwner, AUsedStoreTakesASpoolThatHasNoIdYet) {
  run_once();
  std::filesystem::remove(directory_.file("spool/cluster.id"));
  run_once();
  EXPECT_TRUE(std::filesystem::exists(directory_.file("spool/cluster.id")));
}

TEST_F(SpoolOwner, JobsAreNumberedAboveAllThatTheSpoolKnows) {
  run_once();
  std::filesystem::create_directories(directory_.file("spool/41"));  // of a job that a backup does not know
  test::RunningDaemon manager(directory_);
  manager.start();
  test::RawClient client(manager.settings.api.socket);
  Submit submit;
  submit.submission.demand.need = cores(1);
  submit.submission.guest_memory = mebibytes(64);
  submit.submission.program = HashChain{10, 1000};
  const ReplyEnvelope answer = client.ask(test::header("s"), submit);
  EXPECT_NE(answer.reply.body.find("42"), std::string::npos) << answer.reply.body;
}

TEST_F(SpoolOwner, TheNewestJobIsTheHighestNumberOfADirectory) {
  const Spool spool(directory_.file("spool"));
  EXPECT_EQ(newest_job_in(spool).raw, 0U);
  for (const char* name : {"9", "12", "probe", "13x", "content"})
    std::filesystem::create_directories(spool.root() + "/" + name);
  EXPECT_EQ(newest_job_in(spool).raw, 12U);
}

}  // namespace
}  // namespace aliquot
