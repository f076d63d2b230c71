// What is written on the wire is this, to the byte, and comes back as it was.
#include "manager/api/wire/protocol.hpp"

#include <gtest/gtest.h>

#include "manager/api/wire/error_names.hpp"
#include "manager/api/wire/message_text.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

Submit a_submission() {
  Submit submit;
  submit.submission.demand.tasks = 4;
  submit.submission.demand.need = cores(1);
  submit.submission.demand.min_yield = {250'000};
  submit.submission.guest_memory = mebibytes(128);
  submit.submission.demand.memory = mebibytes(128);
  submit.submission.name = "primes";
  submit.submission.time_limit = seconds(600);
  submit.submission.wall_limit = seconds(7200);
  submit.submission.warn = seconds(60);
  submit.submission.checkpoint = seconds(300);
  submit.submission.max_need = cores(2);
  submit.submission.on_task_failure = OnTaskFailure::carry_on;
  submit.submission.program = LinuxCommand{{"./primes", "1", "1000"}, {}};
  submit.idempotency_key = "key-1";
  return submit;
}

RequestHeader header(const char* id) {
  RequestHeader h;
  h.id = id;
  return h;
}

const AccountSet kAccountSet{"lab",
                             "physics",
                             2,
                             {{LimitKind::jobs, 4}, {LimitKind::cpu, std::nullopt}},
                             {{LimitKind::memory, 1 << 30}},
                             Yield{250'000},
                             Yield{500'000}};

TEST(Protocol, ASubmissionIsTheseBytes) {
  RequestHeader h = header("7");
  h.ticket = "t0";
  h.deadline_ms = 5000;
  const Frames frames = encode_request(h, a_submission());
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0], "ALIQUOT/1");
  EXPECT_EQ(frames[1], R"({"deadline_ms":5000,"id":"7","idem":"key-1","method":"submit","ticket":"t0"})");
  EXPECT_EQ(
      frames[2],
      R"({"account":"","checkpoint_us":300000000,"cpu_microcores":1000000,"dry_run":false,"hold":false,)"
      R"("max_cpu_microcores":2000000,)"
      R"("memory_bytes":134217728,)"
      R"("min_yield_ppm":250000,"movable":true,"name":"primes","on_task_failure":"continue",)"
      R"("program":{"argv":["./primes","1","1000"],"kind":"command"},"tasks":4,)"
      R"("time_limit_us":600000000,"wall_limit_us":7200000000,"warn_us":60000000})");
}

TEST(Protocol, ARangeOfTasksComesBackAsItWas) {
  Submit offer = a_submission();
  offer.submission.choice = TaskChoice{2, 16, "amdahl:0.05", ""};
  offer.submission.demand.tasks = 2;
  const Frames frames = encode_request(header("7"), offer);
  EXPECT_NE(frames[2].find(R"("speedup":"amdahl:0.05","tasks":2,"tasks_most":16)"), std::string::npos)
      << frames[2];
  const auto read = decode_request(frames);
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<Submit>(read->request).submission.choice, offer.submission.choice);
}

TEST(Protocol, TheApplicationOfARangeStandsInPlaceOfASpeedup) {
  Submit offer = a_submission();
  offer.submission.choice = TaskChoice{2, 16, "", ""};
  offer.submission.demand.tasks = 2;
  offer.submission.problem = Problem{"cfd", 1'000'000, 50};
  const auto read = decode_request(encode_request(header("7"), offer));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<Submit>(read->request).submission.choice, offer.submission.choice);
  EXPECT_EQ(std::get<Submit>(read->request).submission.problem, offer.submission.problem);
  offer.submission.problem->application = "no name";
  const auto named = decode_request(encode_request(header("7"), offer));
  ASSERT_FALSE(named);
  EXPECT_NE(named.error().error.message.find("1 to 64 letters"), std::string::npos);
}

TEST(Protocol, RepliesAreTheseBytes) {
  EXPECT_EQ(encode_reply({"7", {std::nullopt, R"({"job":12})", ""}, {}}, true),
            (Frames{"", "ALIQUOT/1", R"({"code":"ok","id":"7"})", R"({"job":12})"}));
  EXPECT_EQ(encode_reply({"8", {Error{ErrorKind::not_found, "there is no job 9"}, "{}", ""}}, false),
            (Frames{"ALIQUOT/1", R"({"code":"not_found","id":"8","message":"there is no job 9"})", "{}"}));
  EXPECT_EQ(encode_reply({"9", {std::nullopt, "{}", std::string("\0\xff", 2)}}, false).back(),
            std::string("\0\xff", 2));
}

SavedPlan some_plan() {
  return {"here",           "2026-01-01",  "FCFS", {{{1}, {{"n1", 2, 5}}, {500'000}}},
          {{{1}, "waits"}}, {{"n1", "up"}}};
}

MaintenanceAdd some_window() {
  MaintenanceAdd window{"ram", {"n1", "n2"}, 1'900'000'000'000'000, 1'900'000'100'000'000, seconds(60)};
  window.mode = DrainMode::save;
  window.then = AfterDeadline::requeue;
  window.dry_run = true;
  return window;
}

const std::vector<Request>& maintenance() {
  static const std::vector<Request> requests{some_window(),
                                             MaintenanceList{},
                                             MaintenanceRemove{"ram"},
                                             MotdSet{"The disk is full.\nDo remove what you can: grüße"},
                                             MotdShow{},
                                             MotdClear{},
                                             HaStatus{},
                                             HaStepDown{}};
  return requests;
}

NodeSettings some_node() {
  NodeSettings node;
  node.name = "n4";
  node.uri = "qemu:///system";
  node.cores = 8;
  node.memory = mebibytes(4096);
  node.devices = {{"V100", 2, {}}};
  return node;
}

void comes_back(const Request& request) {
  const Frames frames = encode_request(header("1"), request);
  const auto back = decode_request(frames);
  ASSERT_TRUE(back) << method_name(request) << ": " << back.error().error.message;
  EXPECT_EQ(back->header.method, method_name(request));
  EXPECT_EQ(back->request.index(), request.index());
  EXPECT_EQ(encode_request(header("1"), back->request), frames) << method_name(request);
}

TEST(Protocol, EveryMethodComesBackAsItWas) {
  std::vector<Request> all{
      Hello{},
      a_submission(),
      SubmitMany{{a_submission(), a_submission()}, "", "", 0},
      List{true, 5, {}, {}, JobId{7}},
      Show{{3}, 12},
      Why{{4}},
      Events{JobId{5}, 17, 9, 40},

      Cancel{{6}, {{0, 100, 1}, {200, 3, 5}}},
      Hold{{7}},
      ReleaseJob{{8}},
      Requeue{{8}},
      SetNeed{{8}, Cpu{1'500'000}},
      Evolve{{8}, 3, seconds(60)},
      Logs{{9}, 2, 100, 4096, true},
      Attach{{9}, 3},
      TerminalRead{4},
      TerminalWrite{4, std::string("ls\r\0\xff", 5)},
      TerminalClose{4},
      Accounts{"ada", 7},
      AccountShow{"lab"},
      AccountUsage{100, 102, UsageBy::job, JobId{7}},
      kAccountSet,
      AccountReset{"lab"},
      KnowledgeList{},
      KnowledgeExport{},
      KnowledgeImport{"application"},
      KnowledgeForget{"cfd", 100},
      RunTimesList{},
      RunTimesExport{},
      RunTimesImport{"level"},
      RunTimesForget{1000},
      ImageList{},
      ImageShow{{"debian"}},
      ImageAdd{{"debian"}, "/images/debian-12.qcow2"},
      ImageRemove{{"debian"}},
      NodeList{},
      NodeShow{"n1"},
      NodeProbe{"n2"},
      NodeOrphans{},
      NodeReclaim{},
      PolicyShow{},
      ModeShow{},
      PlanShow{{"node-down=n3", "period=60"}, true},
      PlanApply{some_plan(), true},
      Status{},
      PolicySet{"GREEDY"},
      PeriodSet{seconds(60)},
      ModeSet{Mode::advise},
      PolicyReset{},
      ModeReset{},
      NodeAdd{some_node(), true},
      NodeRemove{"n2"},
      NodeRename{"n2", "n3", true},
      NodeAcceptHost{"n2"},
      NodeConfirmDown{"n1", "its power supply burned", true},
      NodeDrain{"n1", DrainMode::save, seconds(60), true, AfterDeadline::requeue, 1'900'000'000'000'000},
      NodeResume{"n1"},
      KeyAdd{"laptop", "ada", KeyRole::operating, std::string(64, 'a'), 1'900'000'000},
      KeyList{},
      KeyRevoke{"laptop"}};
  all.insert(all.end(), maintenance().begin(), maintenance().end());
  ASSERT_EQ(all.size(), std::variant_size_v<Request>);
  ASSERT_EQ(known_methods().size(), std::variant_size_v<Request>);
  for (const Request& request : all) comes_back(request);
}

TEST(Protocol, AMessageOfTheDayCannotDoAnythingToATerminal) {
  for (const char* text : {"bell \a", "clear \x1b[2J", "one\rtwo", "\x7f",
                           "csi \xc2\x9b"
                           "2J",
                           " \n "})
    EXPECT_FALSE(decode_request(encode_request(header("1"), MotdSet{text}))) << text;
  for (const std::string& text : {std::string("two\nlines"), std::string(kLongestMotd, 'x')})
    EXPECT_TRUE(decode_request(encode_request(header("1"), MotdSet{text}))) << text;
  EXPECT_FALSE(decode_request(encode_request(header("1"), MotdSet{std::string(kLongestMotd + 1, 'x')})));
}

TEST(Protocol, AnArrayAndItsMembersComeBack) {
  Submit submit = a_submission();
  submit.submission.array = ArrayTerms{{{0, 100, 1}, {200, 3, 5}}, 20};
  const Frames frames = encode_request(header("1"), submit);
  EXPECT_NE(frames[2].find(R"("array":"0-99,200-210:5%20")"), std::string::npos) << frames[2];
  EXPECT_EQ(std::get<Submit>(decode_request(frames)->request).submission.array, submit.submission.array);
  const auto cancel = decode_request(encode_request(header("1"), Cancel{{6}, {{0, 100, 1}}}));
  EXPECT_EQ(std::get<Cancel>(cancel->request).indices, (IndexSet{{0, 100, 1}}));
  const auto show = decode_request(encode_request(header("1"), Show{{6}, 12}));
  EXPECT_EQ(std::get<Show>(show->request).index, 12U);
  const auto list = decode_request(encode_request(header("1"), List{true, 5, {}, {}, JobId{7}}));
  EXPECT_EQ(std::get<List>(list->request).array, JobId{7});
}

TEST(Protocol, SeveralJobsHaveOneArchiveAndOneKey) {
  SubmitMany many{{a_submission(), a_submission(), a_submission()}, "key-1", "archive", 0};
  for (const std::size_t k : {0U, 2U})
    std::get<LinuxCommand>(many.jobs[k].submission.program).archive_sha256 = sha256_hex(many.archive);
  Frames frames = encode_request(header("1"), many);
  ASSERT_EQ(frames.size(), 4U);
  auto back = decode_request(frames);
  ASSERT_TRUE(back) << back.error().error.message;
  const auto& got = std::get<SubmitMany>(back->request);
  EXPECT_EQ(got.archive, "archive");
  EXPECT_EQ(got.idempotency_key, "key-1");
  ASSERT_EQ(got.jobs.size(), 3U);
  EXPECT_EQ(got.jobs[2].submission, many.jobs[2].submission);
  frames.pop_back();
  EXPECT_EQ(decode_request(frames).error().error.kind, ErrorKind::invalid_argument) << "it is not there";
  std::get<LinuxCommand>(many.jobs[1].submission.program).archive_sha256 = std::string(64, 'a');
  back = decode_request(encode_request(header("1"), many));
  ASSERT_FALSE(back);
  EXPECT_NE(back.error().error.message.find("names two archives"), std::string::npos);
}

TEST(Protocol, AThousandJobsFitIntoOneRequestAndNoMore) {
  SubmitMany many;
  many.jobs.assign(kMostTogether, a_submission());
  EXPECT_TRUE(decode_request(encode_request(header("1"), many)));
  many.jobs.push_back(a_submission());
  EXPECT_NE(decode_request(encode_request(header("1"), many)).error().error.message.find("1001 entries"),
            std::string::npos);
  many.jobs.clear();
  EXPECT_FALSE(decode_request(encode_request(header("1"), many)));
  many.jobs = {a_submission(), a_submission()};
  many.jobs[1].dry_run = true;
  EXPECT_NE(decode_request(encode_request(header("1"), many)).error().error.message.find("jobs[1].dry_run"),
            std::string::npos);
}

TEST(Protocol, TheDataOfAJobComesBack) {
  Submit submit = a_submission();
  submit.archive = "archive";
  std::get<LinuxCommand>(submit.submission.program).archive_sha256 = sha256_hex(submit.archive);
  submit.submission.data = {{"A=1", "B=x y"},          "/job",
                            StagedInput{"words", {9}}, {{"deep", {4}}, {"input.csv", {60}}},
                            {"out", "/tmp/x"},         mebibytes(16)};
  submit.shares = {"home", "data"};
  const auto back = decode_request(encode_request(header("1"), submit));
  ASSERT_TRUE(back) << back.error().error.message;
  EXPECT_EQ(std::get<Submit>(back->request).submission.data, submit.submission.data);
  EXPECT_EQ(std::get<Submit>(back->request).shares, submit.shares);
}

TEST(Protocol, NoAccountAndTheAccountWithoutANameAreTwoThings) {
  for (const auto& account : {std::optional<std::string>{}, std::optional<std::string>{""}}) {
    const auto back = decode_request(encode_request(header("1"), Accounts{account, 7}));
    ASSERT_TRUE(back) << back.error().error.message;
    EXPECT_EQ(std::get<Accounts>(back->request).account, account);
    EXPECT_EQ(std::get<Accounts>(back->request).limit, 7U);
  }
}

TEST(Protocol, AnArchiveTravelsBesideTheBody) {
  Submit submit = a_submission();
  submit.archive = std::string("070701\0binary\xff", 14);
  auto& command = std::get<LinuxCommand>(submit.submission.program);
  command.archive_sha256 = sha256_hex(submit.archive);
  const auto back = decode_request(encode_request(header("1"), submit));
  ASSERT_TRUE(back) << back.error().error.message;
  const auto& got = std::get<Submit>(back->request);
  EXPECT_EQ(got.archive, submit.archive);
  EXPECT_EQ(got.submission, submit.submission);
  EXPECT_EQ(got.idempotency_key, "key-1");
}

TEST(Protocol, AnImageHasAnArchiveOfItsInputFiles) {
  Submit submit = a_submission();
  submit.archive = "archive";
  submit.submission.program = ImageBoot{"debian", {}, {"./prog"}, sha256_hex(submit.archive)};
  const auto back = decode_request(encode_request(header("1"), submit));
  ASSERT_TRUE(back) << back.error().error.message;
  EXPECT_EQ(std::get<Submit>(back->request).submission, submit.submission);
  EXPECT_EQ(contents_of(submit.submission.program), std::vector{sha256_hex(submit.archive)});
}

TEST(Protocol, AnArchiveMayBeAFileOfTheUser) {
  Submit submit = a_submission();
  submit.archive_file = "/scratch/.aliquot-input-x";
  submit.archive_bytes = 5'000'000'000;
  auto& hash = std::get<LinuxCommand>(submit.submission.program).archive_sha256;
  hash = sha256_hex("archive");
  const auto back = decode_request(encode_request(header("1"), submit));
  ASSERT_TRUE(back) << back.error().error.message;
  EXPECT_EQ(std::get<Submit>(back->request).archive_file, submit.archive_file);
  EXPECT_EQ(std::get<Submit>(back->request).archive_bytes, submit.archive_bytes);
  Submit both = submit;
  both.archive = "archive";
  EXPECT_FALSE(decode_request(encode_request(header("1"), both)));
  hash.clear();
  EXPECT_FALSE(decode_request(encode_request(header("1"), submit))) << "it has no name";
}

TEST(Protocol, TheDelimiterOfAReqSocketIsTakenAndRemembered) {
  Frames frames = encode_request(header("1"), Status{});
  EXPECT_FALSE(decode_request(frames)->delimited);
  frames.insert(frames.begin(), "");
  EXPECT_TRUE(decode_request(frames)->delimited);
}

TEST(Protocol, UnknownHeaderFieldsOfANewerClientArePassedOver) {
  EXPECT_TRUE(decode_request({"ALIQUOT/1", R"({"id":"1","method":"status","enc":"json"})", "{}"}));
}

TEST(Protocol, TheSameBodyHasTheSameHashAndAnotherAnother) {
  const auto one = decode_request(encode_request(header("1"), a_submission()));
  const auto same = decode_request(encode_request(header("2"), a_submission()));
  Submit other = a_submission();
  other.submission.demand.tasks = 5;
  const auto different = decode_request(encode_request(header("1"), other));
  EXPECT_EQ(one->body_sha256, same->body_sha256);
  EXPECT_NE(one->body_sha256, different->body_sha256);
}

TEST(Protocol, RepliesComeBackAsTheyWere) {
  for (const ErrorRow& row : error_rows()) {
    const auto back = decode_reply(encode_reply({"3", {Error{row.kind, "words"}, "{}", ""}}, true));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->id, "3");
    EXPECT_EQ(back->reply.error, (Error{row.kind, "words"}));
  }
  const auto back = decode_reply(encode_reply({"4", {std::nullopt, R"({"size":1})", "x"}}, false));
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->reply.error);
  EXPECT_EQ(back->reply.body, R"({"size":1})");
  EXPECT_EQ(back->reply.blob, "x");
  EXPECT_FALSE(decode_reply({"ALIQUOT/1", "x", "{}"}));
}

TEST(ErrorNames, AreOneTableInTheOrderOfTheKinds) {
  int kind = 0;
  for (const ErrorRow& row : error_rows()) {
    EXPECT_EQ(static_cast<int>(row.kind), kind++);
    EXPECT_EQ(error_kind(wire_name(row.kind)), row.kind);
    EXPECT_GT(exit_code(row.kind), kExitJobFailed);
  }
  EXPECT_EQ(static_cast<ErrorKind>(kind - 1), ErrorKind::not_leader);
  EXPECT_EQ(exit_code(ErrorKind::invalid_argument), 2);
  EXPECT_EQ(exit_code(ErrorKind::not_found), 3);
  EXPECT_EQ(exit_code(ErrorKind::refused), 4);
  EXPECT_EQ(exit_code(ErrorKind::conflict), 5);
  EXPECT_EQ(exit_code(ErrorKind::unavailable), 6);
  EXPECT_EQ(exit_code(ErrorKind::forbidden), 7);
  EXPECT_EQ(exit_code(ErrorKind::timeout), 8);
  EXPECT_FALSE(error_kind("nope"));
}

TEST(Suggest, WhatCameIsMadeFitForAMessage) { EXPECT_EQ(wire::in_quotes("a\nb"), "`a?b`"); }

}  // namespace
}  // namespace aliquot
