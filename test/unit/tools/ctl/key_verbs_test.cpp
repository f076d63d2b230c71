// The verbs about keys and the audit log, and the program on another machine.
#include <sys/stat.h>

#include <filesystem>

#include "monitor/audit/audit_log.hpp"
#include "test/unit/tools/ctl/running_program.hpp"
#include "tools/ctl/remote_key.hpp"

namespace aliquot {
namespace {

class KeyVerbs : public test::RunningProgram {
 protected:
  const std::string file_ = manager_.directory() + "/laptop.key";
  const std::string new_ = "key new laptop --user nobody --role user --to " + file_;
};

TEST_F(KeyVerbs, MakeAKeyWithWhichTheProgramWorksFromElsewhere) {
  const test::Ran made = run(new_ + " --expires now+90d");
  ASSERT_EQ(made.exit_code, 0) << made.words;
  EXPECT_NE(made.out.find("aliquot --key " + file_), std::string::npos) << made.out;
  struct stat about {};
  ASSERT_EQ(stat(file_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600U);
  const auto key = ctl::read_remote_key(file_);
  ASSERT_TRUE(key) << key.error().message;
  EXPECT_EQ(run("key server").out, to_text(key->server) + "\n");
  EXPECT_EQ(run("--key " + file_ + " list").out, run("list").out);
  const auto listed = answer("key list")["keys"][0];
  EXPECT_EQ(listed["key"], "laptop");
  EXPECT_EQ(listed["role"], "user");
  EXPECT_EQ(listed["in_force"], true);
  EXPECT_TRUE(listed["expires_at"].is_string());
  fails("--key " + file_ + " key list", 7, "only root");
  EXPECT_EQ(run("key revoke laptop").out, "key laptop is revoked, and its connections are closed\n");
  fails("--key " + file_ + " list", 7, "revoked");
}

TEST_F(KeyVerbs, SayWhatIsWrong) {
  fails("key new laptop --user no-such-user-here --role user --to " + file_, 2, "no user");
  fails("key new ../x --user nobody --role user --to " + file_, 2, "name of a key");
  fails("key new laptop --user nobody --role king --to " + file_, 2, "king");
  fails(new_ + " --expires yesterday", 2, "--expires");
  EXPECT_FALSE(std::filesystem::exists(file_));
  ASSERT_EQ(run(new_).exit_code, 0);
  fails(new_, 5, "exists already");
  fails("--server tcp://127.0.0.1:1 list", 7, "--key");
  fails("--server tcp://nowhere list", 2, "tcp://HOST:PORT");
  fails("--key " + manager_.directory() + "/none.key list", 3, "aliquot key new");
  chmod(file_.c_str(), 0644);
  fails("--key " + file_ + " list", 4, "chmod 600");
}

TEST_F(KeyVerbs, AKeyWithoutAFileIsRevokedAgain) {
  fails("key new laptop --user nobody --role user --to /proc/none/laptop.key", 4, "cannot write");
  EXPECT_EQ(answer("key list")["keys"].size(), 0U);
}

TEST_F(KeyVerbs, MakeATokenThatIsShownOnce) {
  const test::Ran made = run("token new screen --user nobody --role operator --for 2h");
  ASSERT_EQ(made.exit_code, 0) << made.words;
  ASSERT_TRUE(made.out.starts_with("alq_")) << made.out;
  EXPECT_EQ(made.out.size(), 4 + 64 + 1U);
  const auto listed = answer("key list")["keys"][0];
  EXPECT_EQ(listed["key"], "screen");
  EXPECT_TRUE(listed["public_key"].is_null());
  EXPECT_TRUE(listed["expires_at"].is_string());
  EXPECT_NE(run("key list").out.find("token"), std::string::npos);
  EXPECT_NE(run("token new --role user").out, made.out);
  EXPECT_EQ(run("key revoke screen").exit_code, 0);
  fails("token new --role user --for 32d", 2, "31 days");
  fails("token new --role user --for soon", 2, "--for");
  fails("token new", 2, "--role");
}

TEST_F(KeyVerbs, TheAuditLogIsShownAndVerified) {
  const std::string directory = manager_.directory() + "/audit";
  audit::Record record;
  record.uid = 1000;
  record.key = "laptop";
  record.address = "10.0.0.7:40122";
  record.method = "cancel";
  record.object = "job 7";
  record.code = "ok";
  std::string head;
  {
    const auto log = audit::AuditLog::open(directory).value();
    log->note(record);
    log->flush();
    head = audit::to_text(log->head());
  }
  EXPECT_EQ(run("audit verify " + directory).out,
            "lines 1 to 1 follow from one another\nthe newest is " + head + "\n");
  EXPECT_EQ(answer("audit verify " + directory + " --head " + head)["whole"], true);
  EXPECT_NE(run("audit show " + directory).out.find("laptop from 10.0.0.7:40122  cancel  job 7  ok"),
            std::string::npos);
  fails("audit verify " + directory + " --head 2:" + head.substr(2), 5, "cut off");
  fails("audit verify " + directory + " --head x", 2, "NUMBER:HASH");
  fails("audit verify " + manager_.directory() + "/none", 3, "no audit log");
}

}  // namespace
}  // namespace aliquot
