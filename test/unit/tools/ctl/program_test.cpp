// The program itself, run as users run it, against a manager of a few lines: output, words, exit codes.
#include <fstream>
#include <map>
#include <set>

#include "test/unit/tools/ctl/running_program.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot {
namespace {

using nlohmann::json;

using test::Ran;
class Program : public test::RunningProgram {};

TEST_F(Program, TakesWhatTheUserHasSetButOptionsAndEnvironmentFirst) {
  std::filesystem::create_directory(manager_.directory() + "/aliquot");
  const std::string file = manager_.directory() + "/aliquot/config.yaml";
  std::ofstream(file) << "server: /nowhere.sock\noutput: name\n";
  EXPECT_EQ(run("list").out, "1\n2\n");
  environment_ = "ALIQUOT_OUTPUT=json";
  EXPECT_EQ(run("list").out.substr(0, 1), "{");
  EXPECT_EQ(run("list -o name").out, "1\n2\n");
  environment_ = "ALIQUOT_OUTPUT=jsn";
  fails("list", 2, "jsn");
  environment_ = "";
  std::ofstream(file) << "output: jsn\n";
  fails("list", 2, "output: \"jsn\" is none of table, wide, json");
  std::ofstream(file) << "outptu: json\n";
  fails("list", 2, "config.yaml:1:1: outptu: is not known; did you mean `output`?");
}

TEST_F(Program, ListsInEveryForm) {
  EXPECT_EQ(run("list").out,
            "JOB  NAME   STATE    TASKS  CPUS   MEM  YIELD    AGE  SERVED  NODES\n"
            "  1  chain  running      2     1  128M   0.50  1m30s     40s  n0,n1\n"
            "  2  -      pending      1     1  128M      -    50s    0.0s  -\n");
  EXPECT_EQ(run("list -o name").out, "1\n2\n");
  EXPECT_EQ(run("list --all -o name").out, "1\n2\n3\n");
  EXPECT_EQ(answer("list")["jobs"].size(), 2U);
  EXPECT_NE(run("list -o yaml").out.find("state: running"), std::string::npos);
  EXPECT_NE(run("list -o wide").out.find("STRETCH"), std::string::npos);
  EXPECT_EQ(run("list --no-headers").out.find("JOB"), std::string::npos);
  EXPECT_NE(run("list --limit 1").words.find("there are more"), std::string::npos);
}

TEST_F(Program, ExplainsAJob) {
  EXPECT_EQ(run("why 2").out,
            "job 2 is pending (memory) for 1m40s\n"
            "No node has 192 MiB of free memory.\n"
            "  2 nodes of 1 core, 1000 MiB\n"
            "    2: room for at least one task\n"
            "tightest: memory\n"
            "  held by job 1 chain: 2 x (1 core, 192M) at yield 0.50\n"
            "what would change it:\n"
            "  - job 1 ends, or is paused\n"
            "  - jobs lend what they do not use of it, where an operator sets `needs.memory: learned`\n"
            "  - the policy looks again in 30s\n"
            "start (ends_unknown): no instant can be named: neither an estimate nor a limit says "
            "when job 1 ends\n");
  EXPECT_EQ(answer("why 3")["reason"], "ended");
  EXPECT_EQ(answer("show 1")["vms"].size(), 2U);
  EXPECT_NE(run("show 1").out.find("hash_chain"), std::string::npos);
  fails("show 99", 3, "there is no job 99");
  fails("why 99", 3, "there is no job 99");
}

TEST_F(Program, SubmitsAndWaits) {
  EXPECT_EQ(run("submit --hash-chain 3:9").out, "submitted job 4\n");
  EXPECT_EQ(run("submit --parsable --hash-chain 3:9").out, "4\n");
  EXPECT_EQ(run("submit --wait --hash-chain 3:9").exit_code, 0);
  const Ran failed = run("submit --wait --name bad --hash-chain 3:9");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.words.find("job 4 failed"), std::string::npos);
  const Ran document = run("submit --wait --json --name bad --hash-chain 3:9");
  EXPECT_EQ(document.exit_code, 1);
  EXPECT_EQ(json::parse(document.out)["exit_code"], 3);
  EXPECT_EQ(answer("submit --dry-run --hash-chain 3:9")["reason"], "memory");
  EXPECT_EQ(run("submit --cpu 50% -- /bin/sh -c 'exit 3' --tasks").exit_code, 0);
  EXPECT_EQ(answer("show 4")["program"]["argv"].dump(), R"(["/bin/sh","-c","exit 3","--tasks"])");
  EXPECT_EQ(answer("show 4")["cpus"], 0.5);
  fails("submit --cpus 2 --hash-chain 3:9", 4, "the largest node, n0, has 1");
  fails("submit --mem 128 --hash-chain 3:9", 2, "--mem:");
  fails("submit", 2, "nothing to run");
  fails("submit -f /nonexistent", 2, "no such file");
}

TEST_F(Program, SubmitsTheLinesOfAFileTogether) {
  const std::string file = manager_.directory() + "/batch";
  std::ofstream(file) << "# a comment\n--name one --hash-chain 3:9\n\n--name two --hash-chain 3:9\n";
  EXPECT_EQ(run("submit --parsable --batch " + file).out, "4\n5\n");
  EXPECT_EQ(answer("submit --batch " + file)["jobs"].dump(), "[4,5]");
  EXPECT_EQ(answer("show 4")["name"], "two");
  EXPECT_EQ(run("submit --name of-all --batch - < " + file).out, "submitted job 4\nsubmitted job 5\n");
  std::ofstream(file) << "--name a -- /bin/sh -c 'exit 1'\n--name b -- /bin/sh -c 'exit 2'\n";
  EXPECT_EQ(run("submit --parsable --batch " + file).out, "4\n5\n");
  EXPECT_EQ(answer("show 4")["program"]["argv"].dump(), R"(["/bin/sh","-c","exit 2"])");
  std::ofstream(file) << "-- /bin/sh -c true\n-- /bin/ls\n";
  fails("submit --batch " + file, 4, "batch:2: it has another program");
  std::ofstream(file) << "--hash-chain 3:9\n--tsks 2 --hash-chain 3:9\n";
  fails("submit --batch " + file, 2, "batch:2: ");
  std::ofstream(file) << "# nothing\n";
  fails("submit --batch " + file, 2, "has no job");
  fails("submit --batch /nonexistent", 3, "cannot be read");
  fails("submit --wait --batch " + file, 2, "--wait");
}

TEST_F(Program, ReadsJobFiles) {
  const std::string file = manager_.directory() + "/job.yaml";
  std::ofstream(file) << "tasks: 2\nhash-chain: 3:9\n";
  EXPECT_EQ(run("submit -f " + file).out, "submitted job 4\n");
  std::ofstream(file) << "taks: 2\n";
  fails("submit -f " + file, 2, "job.yaml:1:1: taks: is not known; did you mean tasks?");
}

TEST_F(Program, ChangesJobs) {
  EXPECT_EQ(run("cancel 1 2").out, "job 1: cancelled\njob 2: cancelled\n");
  EXPECT_EQ(run("hold 2").out, "job 2: held\n");
  EXPECT_EQ(answer("release 2")["done"], "released");
  EXPECT_EQ(run("requeue 1").out, "job 1: it starts anew\n");
  EXPECT_EQ(run("cancel 1[0-9,20]").out, "job 1: 11 members cancelled\n");
  EXPECT_EQ(run("hold 2[3]").out, "job 1: held\n") << "the manager says which job that is";
  fails("hold 2[3", 2, "names no member of an array; write 2[3]");
  fails("logs 2[3-5]", 2, "names several jobs");
  EXPECT_EQ(run("set 1 2 --cpus 1.5").out,
            "job 1: a task needs 1.5 cores\njob 2: a task needs 1.5 cores\n");
  fails("set 1", 2, "--cpus");
  fails("set 1 --cpus many", 2, "--cpus: ");
  fails("set 99 --cpus 1", 3, "there is no job 99");
  fails("cancel 99", 3, "there is no job 99");
  fails("cancel", 2, "which jobs?");
  fails("hold x", 2, "no job number");
}

TEST_F(Program, KeepsImages) {
  EXPECT_EQ(run("image list").out,
            "NAME       SIZE  FORMAT  SHA-256        UID  ADDED                     JOBS\n"
            "debian     300M  qcow2   aaaaaaaaaaaa  1000  2026-01-01T00:00:00.000Z     0\n"
            "fedora-41  300M  qcow2   aaaaaaaaaaaa  1000  2026-01-01T00:00:00.000Z     0\n");
  EXPECT_EQ(run("image list -o name").out, "debian\nfedora-41\n");
  const std::string sha256(64, 'a');
  EXPECT_EQ(run("image show debian").out, "image    debian\nformat   qcow2, 300M; a disk of 2G\nsha256   " +
                                              sha256 +
                                              "\nadded    2026-01-01T00:00:00.000Z by user id 1000\n"
                                              "jobs     0\n");
  EXPECT_EQ(run("image add debian-12.qcow2").out,
            "added image debian-12: 300M, qcow2, SHA-256 " + sha256 + "\n");
  EXPECT_EQ(manager_.added_from(), std::filesystem::current_path() / "debian-12.qcow2") << "absolute";
  EXPECT_EQ(answer("image add /images/x.img --name mine")["image"], "mine");
  EXPECT_EQ(run("image remove debian").out, "removed image debian\n");
  fails("image add /images/Debian.img", 2, "the name of the file is no image name");
  fails("image add /images/x.img --name ../x", 2, "is no image name; it has 1 to 63 of");
  fails("image show /etc/shadow", 2, "`image` is no image name");
  fails("submit --image /images/debian.qcow2", 2, "add the file first: `aliquot image add");
}

TEST_F(Program, FetchesResultFiles) {
  const std::string to = manager_.directory() + "/to";
  fails("fetch 1 --to " + to, 3, "--stage-out");
  run("submit --stage-out made --stage-out other --env A=1 true");
  EXPECT_NE(run("show 4").out.find("stage out     made, other"), std::string::npos) << run("show 4").out;
  const Ran fetched = run("fetch 4 --to " + to);
  EXPECT_EQ(fetched.exit_code, 3) << "one of them is absent";
  EXPECT_EQ(fetched.out, "task 0: 1 file, 4B, in " + to + "\n");
  EXPECT_NE(fetched.words.find("other was not there"), std::string::npos) << fetched.words;
  fails("fetch 4 --to " + to, 5, "give --force");
  std::string said;
  std::getline(std::ifstream(to + "/made"), said);
  EXPECT_EQ(said, "one");
}

// The loopback's terminal gives back what was typed, and its VM is gone then.
TEST_F(Program, AttachesToATask) {
  const Ran ran = run("attach 1.1", "(sleep 1; echo typed; sleep 2)");
  EXPECT_EQ(ran.out.substr(0, 6), "typed\n");
  EXPECT_NE(ran.words.find("attached to task 1 of job 1: Enter starts a shell"), std::string::npos)
      << ran.words;
  EXPECT_NE(ran.words.find("task 1 of job 1: gone; attaching again"), std::string::npos) << ran.words;
  fails("attach one", 2, "no job number");
}

// Every verb of the table is here, or among those that print no answer of the manager.
const std::set<std::string> kOfOperators{
    "policy set",       "period set",         "mode set",           "policy reset",
    "period reset",     "mode reset",         "node probe",         "node add",
    "node remove",      "node rename",        "node accept-host",   "node confirm-down",
    "node drain",       "node resume",        "knowledge import",   "knowledge forget",
    "predictions list", "predictions export", "predictions import", "predictions forget",
    "account set",      "account reset",      "maintenance add",    "maintenance remove",
    "motd set",         "motd clear",         "ha step-down"};

TEST_F(Program, AnswersEveryVerbAsJson) {
  const std::set<std::string> no_answer{"logs", "attach", "completion",   "watch",
                                        "sim",  "db",     "node maintain"};
  const std::string settings = manager_.directory() + "/aliquot.yaml";
  std::ofstream(settings) << "nodes:\n  - name: n0\n    uri: qemu:///system\n";
  const std::string known = manager_.directory() + "/known.csv";
  std::ofstream(known) << "application,problem_size,iterations,tasks,time_us,memory_bytes\n";
  const std::string run_times = manager_.directory() + "/run_times.csv";
  ASSERT_EQ(run("predictions export --to " + run_times).exit_code, 0);
  const std::ofstream empty(manager_.directory() + "/audit-000000000001.jsonl");
  const std::map<std::string, std::string> arguments{
      {"submit", " --stage-out made --env A=1 true"},
      {"show", " 1"},
      {"why", " 2"},
      {"cancel", " 1 2"},
      {"hold", " 1 2"},
      {"release", " 2"},
      {"requeue", " 1"},
      {"set", " 1 --cpus 1"},
      {"evolve", " 1 --tasks 2 --in 60s"},
      {"fetch", " 4 --to " + manager_.directory() + "/made"},
      {"image add", " /images/debian.qcow2"},
      {"image show", " debian"},
      {"image remove", " debian"},
      {"knowledge import", " " + known},
      {"knowledge forget", " cfd"},
      {"predictions import", " " + run_times},
      {"predictions forget", " 1000"},
      {"node show", " n1"},
      {"node probe", " n0"},
      {"node add", " n3 --uri q:///x"},
      {"node remove", " n0"},
      {"node rename", " n0 n9"},
      {"node accept-host", " n0"},
      {"node confirm-down", " n0"},
      {"node drain", " n0"},
      {"node resume", " n0"},
      {"maintenance add", " ram --nodes n0,n1 --from now+1h --to now+2h"},
      {"maintenance remove", " ram"},
      {"motd set", " 'all well'"},
      {"key new", " laptop --user root --role user --to " + manager_.directory() + "/laptop.key"},
      {"key revoke", " laptop"},
      {"token new", " --role user"},
      {"audit verify", " " + manager_.directory()},
      {"audit show", " " + manager_.directory()},
      {"account show", " physics"},
      {"account set", " lab --jobs 4"},
      {"account reset", " lab"},
      {"policy set", " GREEDY"},
      {"period set", " 60"},
      {"mode set", " off"},
      {"config check", " " + settings}};
  for (const ctl::Verb& verb : ctl::verbs()) {
    const std::string path = verb.group.empty() ? verb.name : verb.group + " " + verb.name;
    if (no_answer.contains(path) || (kOfOperators.contains(path) && getuid() != 0)) continue;
    const auto more = arguments.find(path);
    const Ran ran = run(path + (more == arguments.end() ? "" : more->second) + " -o json");
    EXPECT_EQ(ran.exit_code, 0) << path << ": " << ran.words;
    EXPECT_TRUE(json::accept(ran.out)) << path << " -o json prints:\n" << ran.out;
  }
  EXPECT_EQ(answer("cancel 1 2").size(), 2U);
  EXPECT_EQ(answer("cancel 1")["done"], "cancelled");
  const Ran refused = run("cancel 1 99 -o json");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_EQ(json::parse(refused.out).size(), 1U) << "what was done before is told";
}

TEST_F(Program, PrintsOutputByteForByte) {
  EXPECT_EQ(run("logs 1.0").out, std::string("line 1\nline \0 2\n", 16));
  EXPECT_EQ(run("logs -f 1").exit_code, 0);
  fails("logs 1.x", 2, "names no task");
}

TEST_F(Program, ShowsAndSetsWhatOperatorsSet) {
  const std::string configured = "as configured, since 2023-11-14T22:15:00.000Z\n";
  EXPECT_EQ(run("mode show").out, "auto: decisions are made and carried out\n" + configured);
  EXPECT_EQ(run("period show").out, "1m00s\n" + configured);
  EXPECT_EQ(run("policy show").out.rfind("SCRIPTED, every 1m00s\n" + configured + "\nNAME", 0), 0U);
  fails("period set 0", 2, "too short");
  fails("period set soon", 2, "soon");
  fails("mode set atuo", 2, "atuo");
  if (getuid() != 0) GTEST_SKIP() << "the operator of the test's manager is root";
  EXPECT_EQ(answer("mode set off")["mode"], "off");
  EXPECT_EQ(run("policy set GREEDY").out,
            "policy SCRIPTED, every 1m00s\nset by user id 0 on 2023-11-14T22:15:00.000Z; the configuration "
            "says EASY: `aliquot policy reset` goes back to it\n");
  EXPECT_EQ(run("policy reset").out, "policy SCRIPTED, every 1m00s\n" + configured);
  EXPECT_EQ(answer("mode reset")["source"], "configuration");
  EXPECT_EQ(run("period set 60").exit_code, 0);
  EXPECT_EQ(run("period set 10m").exit_code, 0);
  EXPECT_EQ(answer("node probe n0")["acceleration"], "kvm");
}

TEST_F(Program, ChangesNodes) {
  fails("node add n3", 2, "--uri");
  fails("node add n3 --uri q:///x --memory lots", 2, "memory");
  fails("node rename n3", 2, "NEW");
  if (getuid() != 0) GTEST_SKIP() << "the operator of the test's manager is root";
  EXPECT_EQ(run("node add n3 --uri q:///x --memory 2GiB --devices V100*2 --dry-run").out,
            "node n3: would be added; VMs of these jobs are on it: 7\n");
  EXPECT_EQ(answer("node remove n0")["done"], "removed");
  EXPECT_EQ(run("node rename n0 n9").out, "node n0: renamed to n9; VMs of these jobs are on it: 7\n");
  EXPECT_EQ(answer("node accept-host n0 --dry-run")["dry_run"], true);
}

TEST_F(Program, ShowsWhatAccountsComeTo) {
  EXPECT_EQ(run("accounts").out,
            "ACCOUNT  RUNNING  WAITING  ENDED  PROMISED  GRANTED   USED  ACCURACY  STRETCH\n"
            "(none)         0        1      0      0.0s     0.0s      -         -     4.00\n"
            "ada            2        1      2     3m30s    3m00s  2m30s       90%     1.67\n");
  EXPECT_EQ(run("accounts ada").out,
            "account       ada\n"
            "jobs          1 completed, 1 failed, 1 paused, 2 running\n"
            "cpu           210.00s promised, 180.00s granted, 150.00s used; 3.00s stolen, 3.00s throttled\n"
            "energy        36 kJ\n"
            "stolen        not of all: 1 of 3 jobs do not tell; the sum is of the others\n"
            "throttled     not of all: 1 of 3 jobs do not tell; the sum is of the others\n"
            "cap accuracy  90.0% of the cap used: 27.00s of 30.00s while its jobs would have taken more\n"
            "stretch       so far: mean 1.67, max 2.50, over 3\n"
            "stretch       completed: mean 2.00, max 2.00, over 1\n");
  EXPECT_NE(run("accounts \"\"").out.find("not known: none of its jobs has run"), std::string::npos);
  EXPECT_EQ(run("accounts -o name").out, "\nada\n");
  EXPECT_NE(run("accounts -o wide").out.find("THROTTLED  ENERGY\n"), std::string::npos);
  EXPECT_EQ(answer("accounts ada")["accounts"][0]["cpu"]["used_s"], 150.0);
  EXPECT_NE(run("accounts --limit 1").words.find("there are more"), std::string::npos);
  fails("accounts adda", 3, "did you mean `ada`?");
}

TEST_F(Program, ShowsNodesPlanAndStatus) {
  EXPECT_EQ(run("node list").out,
            "NODE  STATE  CPUS  NEEDED  GIVEN    MEM  USED  JOBS  TASKS\n"
            "n0    up        1       1    0.5  1000M  192M     1      1\n"
            "n1    up        1       1    0.5  1000M  192M     1      1\n");
  EXPECT_EQ(answer("node show n1")["tasks"], 1);
  fails("node show n7", 3, "did you mean `n0`?");
  EXPECT_EQ(
      run("plan").out,
      "CHANGE  JOB  NAME   FROM   TO         YIELD  CPUS\n"
      "pause     1  chain  n0,n1  -   0.50 -> 0.00    -1\n"
      "jobs placed 1 -> 0, not placed 1 -> 2; CPUs given 1 -> 0; yield 0.50 -> - at least, 0.50 -> - on "
      "average\n"
      "cost: 2 actions, 384M of memory saved, restored or copied\n"
      "the period is over in 20s\n"
      "job 2 waits (memory): No node has 192 MiB of free memory.\n"
      "\n"
      "in this order; those of one round go on side by side:\n"
      "ROUND  ACTION  JOB  TASKS  FROM  TO  YIELD  MEMORY  STANDS STILL\n"
      "    1  save      1  0      n0    -       -    192M             -\n"
      "    1  save      1  1      n1    -       -    192M             -\n");
  EXPECT_NE(run("status").out.find("jobs    1 pending, 1 running\n"), std::string::npos);
}

TEST_F(Program, TellsEventsAndWatchesAJobToItsEnd) {
  EXPECT_EQ(run("events --after 17").out, "2023-11-14T22:13:20.000Z  job 4  task_ended\n");
  EXPECT_EQ(answer("events")["last"], 18);
  ASSERT_EQ(run("submit --hash-chain 3:9").exit_code, 0);
  const Ran watched = run("watch 4");
  EXPECT_EQ(watched.exit_code, 0);
  EXPECT_EQ(watched.out, "2023-11-14T22:13:20.000Z  job 4  task_ended\n");
  fails("watch 99", 3, "there is no job 99");
}

TEST_F(Program, HandsOverToTheStoresProgram) {
  const Ran help = run("db --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("export"), std::string::npos);
  const std::string nothing = manager_.directory() + "/none.db";
  fails("db check " + nothing, 3, nothing);
  std::ofstream(nothing) << "no store";
  fails("db check " + nothing, 4, "not an SQLite file");
  fails("db export", 2, "");
  fails("db check -o json " + nothing, 4, "not an SQLite file");
  fails("db backup " + nothing + " " + nothing + ".copy", 4, "not an SQLite file");
  fails("db restore " + nothing + " " + nothing + ".new", 4, "not an SQLite file");
  fails("db chekc x", 2, "subcommand is required");
  const std::string config = manager_.directory() + "/alone.yaml";
  std::ofstream(config) << "nodes: [{name: n1, uri: \"test:///default\"}]\n";
  fails("db to-etcd " + config, 2, "has no `ha`");
  fails("db from-etcd " + config + ".none", 2, "");
}

TEST_F(Program, HelpsWhoErrs) {
  fails("lsit", 2, "did you mean `list`?");
  fails("submit --taks 3", 2, "did you mean `--tasks`?");
  fails("node shw", 2, "did you mean `show`?");
  fails("", 2, "a command is missing");
  fails("list --timeout soon", 2, "--timeout:");
  fails("list --server /nonexistent", 6, "start aliquotd");
  EXPECT_EQ(run("submit --help").exit_code, 0);
  EXPECT_EQ(run("--help").exit_code, 0);
  EXPECT_EQ(run("version").out.substr(0, 8), "aliquot ");
  const std::string script = manager_.directory() + "/completion";
  EXPECT_EQ(run("completion bash >" + script).exit_code, 0);
  EXPECT_EQ(run("version && bash -n " + script).exit_code, 0);
  EXPECT_NE(run("list --color always").out.find("\033[32mrunning\033[0m"), std::string::npos);
  EXPECT_EQ(run("list").out.find('\033'), std::string::npos);
}

}  // namespace
}  // namespace aliquot
