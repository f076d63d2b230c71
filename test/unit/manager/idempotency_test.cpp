// One key, one job: however many requests carry the key, on however many connections, before and after a
// restart; and the key of one user is not that of another.
#include <sys/wait.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "test/unit/manager/running_daemon.hpp"

namespace aliquot::test {
namespace {

using nlohmann::json;

Submit a_job(std::uint32_t tasks = 1) {
  Submit submit;
  submit.submission.demand.tasks = tasks;
  submit.submission.demand.need = cores(1);
  submit.submission.guest_memory = mebibytes(64);
  submit.submission.program = HashChain{10, 1000};
  return submit;
}

std::uint64_t job_of(const ReplyEnvelope& answer) {
  if (answer.reply.error) return 0;
  return json::parse(answer.reply.body)["job"].get<std::uint64_t>();
}

std::size_t jobs_listed(const RunningDaemon& daemon) {
  RawClient client(daemon.settings.api.socket);
  return json::parse(client.ask(header("list"), List{}).reply.body)["jobs"].size();
}

TEST(Idempotency, EightPipelinedRequestsWithOneKeyMakeOneJob) {
  const TemporaryDirectory directory;
  RunningDaemon daemon(directory);
  daemon.start();
  RawClient client(daemon.settings.api.socket);
  for (int i = 0; i < 8; ++i) client.send(header(std::to_string(i), "one"), a_job());
  std::set<std::uint64_t> jobs;
  std::set<std::string> ids;
  for (int i = 0; i < 8; ++i) {
    const ReplyEnvelope answer = client.receive();
    EXPECT_FALSE(answer.reply.error) << answer.reply.error->message;
    jobs.insert(job_of(answer));
    ids.insert(answer.id);
  }
  EXPECT_EQ(jobs, (std::set<std::uint64_t>{1}));
  EXPECT_EQ(ids.size(), 8U) << "each request is answered once";
  EXPECT_EQ(jobs_listed(daemon), 1U);
}

TEST(Idempotency, RequestsOfManyConnectionsWithOneKeyMakeOneJob) {
  const TemporaryDirectory directory;
  RunningDaemon daemon(directory);
  daemon.start();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(std::make_unique<RawClient>(daemon.settings.api.socket));
  for (int round = 0; round < 20; ++round)
    for (auto& client : clients) client->send(header("s", std::to_string(round)), a_job());
  std::set<std::uint64_t> jobs;
  for (int round = 0; round < 20; ++round)
    for (auto& client : clients) jobs.insert(job_of(client->receive()));
  EXPECT_EQ(jobs.size(), 20U);
  EXPECT_FALSE(jobs.contains(0)) << "a request was refused";
  EXPECT_EQ(jobs_listed(daemon), 20U);
}

TEST(Idempotency, AnotherRequestWithTheKeyOfOneInWorkIsAConflict) {
  const TemporaryDirectory directory;
  RunningDaemon daemon(directory);
  daemon.start();
  RawClient client(daemon.settings.api.socket);
  client.send(header("first", "k"), a_job(1));
  client.send(header("other", "k"), a_job(2));
  std::map<std::string, ReplyEnvelope> answers;
  for (int i = 0; i < 2; ++i) {
    ReplyEnvelope answer = client.receive();
    answers.emplace(answer.id, answer);
  }
  EXPECT_EQ(job_of(answers.at("first")), 1U);
  ASSERT_TRUE(answers.at("other").reply.error);
  EXPECT_EQ(answers.at("other").reply.error->kind, ErrorKind::conflict);
  EXPECT_EQ(job_of(client.ask(header("again", "k"), a_job(1))), 1U);
}

TEST(Idempotency, ARefusedRequestDoesNotUseItsKeyUp) {
  const TemporaryDirectory directory;
  RunningDaemon daemon(directory);
  daemon.start();
  RawClient client(daemon.settings.api.socket);
  EXPECT_TRUE(client.ask(header("1", "k"), a_job(1'000'000)).reply.error);
  EXPECT_EQ(job_of(client.ask(header("2", "k"), a_job())), 1U);
}

// The children become other users before they connect.
TEST(Idempotency, AKeyBelongsToItsUser) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  const TemporaryDirectory directory;
  RunningDaemon daemon(directory);
  daemon.start();
  for (const uid_t uid : {65534U, 65533U}) {
    const pid_t child = fork();
    if (child == 0) {
      if (setgid(uid) != 0 || setuid(uid) != 0) _exit(99);
      RawClient client(daemon.settings.api.socket);
      _exit(static_cast<int>(job_of(client.ask(header("1", "k"), a_job()))));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), uid == 65534U ? 1 : 2) << "uid " << uid;
  }
  EXPECT_EQ(jobs_listed(daemon), 2U);
}

TEST(Idempotency, AKeySurvivesARestart) {
  const TemporaryDirectory directory;
  {
    RunningDaemon daemon(directory);
    daemon.start();
    RawClient client(daemon.settings.api.socket);
    EXPECT_EQ(job_of(client.ask(header("1", "k"), a_job())), 1U);
  }
  RunningDaemon daemon(directory);
  daemon.start();
  RawClient client(daemon.settings.api.socket);
  EXPECT_EQ(job_of(client.ask(header("1", "k"), a_job())), 1U);
  EXPECT_EQ(jobs_listed(daemon), 1U);
}

TEST(Idempotency, PipelinedSubmissionsStopAtTheLimitOfJobs) {
  const TemporaryDirectory directory;
  RunningDaemon daemon(directory);
  daemon.settings.limits.max_jobs = 3;
  daemon.start();
  RawClient client(daemon.settings.api.socket);
  for (int i = 0; i < 8; ++i) client.send(header(std::to_string(i)), a_job());
  int accepted = 0;
  for (int i = 0; i < 8; ++i) accepted += client.receive().reply.error ? 0 : 1;
  EXPECT_EQ(accepted, 3);
}

}  // namespace
}  // namespace aliquot::test
