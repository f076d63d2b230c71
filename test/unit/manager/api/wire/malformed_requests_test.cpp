// What does not follow the protocol gets one clear error, and nothing else happens.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "manager/api/wire/protocol.hpp"

namespace aliquot {
namespace {

struct Malformed {
  const char* what;
  Frames frames;
  ErrorKind kind;
  const char* says;  // a part of the message that names the field or frame
};

Frames request(const std::string& method, const std::string& body) {
  return {"ALIQUOT/1", R"({"id":"1","method":")" + method + "\"}", body};
}
// A submission with one member of the program or of the body replaced or added.
Frames submit(const std::string& more,
              const std::string& program = R"({"kind":"hash_chain","blocks":3,"unit":9})") {
  return request("submit", R"({"cpu_microcores":1000000,"memory_bytes":1048576,"program":)" + program +
                               (more.empty() ? "" : ",") + more + "}");
}
std::string many(int count) {
  std::string zeros;
  for (int i = 0; i < count; ++i) zeros += "0,";
  return zeros;
}
std::string nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

constexpr auto kBad = ErrorKind::invalid_argument;
constexpr auto kLarge = ErrorKind::too_large;
const std::string kHeader = R"({"id":"1","method":"list"})";

const std::vector<Malformed> kFrames{
    {"no frames", {}, kBad, "message is empty"},
    {"only a delimiter", {""}, kBad, "message is empty"},
    {"another protocol", {"GET / HTTP/1.1"}, kBad, "first frame"},
    {"another version", {"ALIQUOT/2", kHeader, "{}"}, ErrorKind::unsupported, "version 1 only"},
    {"no header", {"ALIQUOT/1"}, kBad, "header frame is missing"},
    {"no body", {"ALIQUOT/1", kHeader}, kBad, "body frame is missing"},
    {"too many frames", {"ALIQUOT/1", kHeader, "{}", "", ""}, kBad, "5 frames"},
    {"header no JSON", {"ALIQUOT/1", "{", "{}"}, kBad, "header is not JSON"},
    {"header empty", {"ALIQUOT/1", "", "{}"}, kBad, "header is not JSON"},
    {"header an array", {"ALIQUOT/1", "[]", "{}"}, kBad, "header is a JSON array"},
    {"header too long", {"ALIQUOT/1", std::string(5000, ' '), "{}"}, kLarge, "header has 5000 bytes"},
    {"header too deep", {"ALIQUOT/1", R"({"x":[[[[1]]]]})", "{}"}, kBad, "deeper than 3"},
    {"no id", {"ALIQUOT/1", R"({"method":"list"})", "{}"}, kBad, "header.id` is missing"},
    {"id a number", {"ALIQUOT/1", R"({"id":1,"method":"list"})", "{}"}, kBad, "header.id` is `1`"},
    {"id with a blank",
     {"ALIQUOT/1", R"({"id":"a b","method":"list"})", "{}"},
     kBad,
     "header.id` may hold"},
    {"id too long",
     {"ALIQUOT/1", R"({"id":")" + std::string(65, 'x') + R"(","method":"list"})", "{}"},
     kLarge,
     "header.id` has 65"},
    {"no method", {"ALIQUOT/1", R"({"id":"1"})", "{}"}, kBad, "header.method` is missing"},
    {"method null", {"ALIQUOT/1", R"({"id":"1","method":null})", "{}"}, kBad, "header.method` is `null`"},
    {"unknown method", request("lisst", "{}"), ErrorKind::unsupported,
     "did you mean `list`?; known are hello"},
    {"bad deadline",
     {"ALIQUOT/1", R"({"id":"1","method":"list","deadline_ms":-1})", "{}"},
     kBad,
     "header.deadline_ms` is `-1`"},
    {"bad key", {"ALIQUOT/1", R"({"id":"1","method":"list","idem":"ä"})", "{}"}, kBad, "header.idem` may"},
    {"two ids", {"ALIQUOT/1", R"({"id":"1","id":"2","method":"list"})", "{}"}, kBad, "`id` twice"},
};

const std::vector<Malformed> kBodies{
    {"body no JSON", request("list", "nonsense"), kBad, "body is not JSON at byte 2"},
    {"body cut", request("list", R"({"all":tr)"), kBad, "body is not JSON"},
    {"body with a tail", request("list", "{} {}"), kBad, "body is not JSON"},
    {"body a string", request("list", R"("x")"), kBad, "body is a JSON string"},
    {"body not UTF-8", request("list", "{\"all\":\"\xc3\x28\"}"), kBad, "body is not UTF-8"},
    {"body over-long UTF-8", request("node.show", "{\"node\":\"\xc0\xaf\"}"), kBad, "body is not UTF-8"},
    {"body too deep", request("list", "{\"all\":" + nested(100000) + "}"), kBad, "deeper than 8"},
    {"body too large", request("list", std::string(300000, ' ')), kLarge, "body has 300000 bytes"},
    {"too many values", request("list", "{\"all\":[" + many(20000) + "0]}"), kBad, "more than 8192 values"},
    {"number overflow", request("list", R"({"limit":1e999})"), kBad, "too large at byte"},
    {"field twice", request("list", R"({"all":true,"all":false})"), kBad, "`all` twice"},
    {"unknown field", request("list", R"({"al":true})"), kBad,
     "`al` is not known here; did you mean `all`?"},
    {"field where none is taken", request("status", R"({"x":1})"), kBad, "none is taken"},
    {"wrong type", request("list", R"({"all":"yes"})"), kBad, "`all` is `yes`; it must be true or false"},
    {"limit 0", request("list", R"({"limit":0})"), kBad, "from 1 to 10000"},
    {"limit a fraction", request("list", R"({"limit":1.5})"), kBad, "`limit` is `1.5`"},
    {"job missing", request("show", "{}"), kBad, "`job` is missing"},
    {"job as text", request("cancel", R"({"job":"1"})"), kBad, "`job` is `1`; it must be a whole number"},
    {"job 0", request("why", R"({"job":0})"), kBad, "`job` is `0`"},
    {"job beyond 64 bits", request("why", R"({"job":18446744073709551615})"), kBad, "`job`"},
    {"task negative", request("logs", R"({"job":1,"task":-1})"), kBad, "`task` is `-1`"},
    {"log limit", request("logs", R"({"job":1,"limit":2000000})"), kBad, "`limit`"},
    {"node empty", request("node.show", R"({"node":""})"), kBad, "`node` is empty"},
    {"node with a NUL", request("node.show", R"({"node":"a\u0000b"})"), kBad, "`node` has a NUL"},
    {"mode unknown", request("mode.set", R"({"mode":"atuo"})"), kBad, "did you mean `auto`?"},
    {"period 0", request("period.set", R"({"period_us":0})"), kBad, "`period_us`"},
    {"policy missing", request("policy.set", "{}"), kBad, "`policy` is missing"},
    {"blob nobody takes", {"ALIQUOT/1", kHeader, "{}", "bytes"}, kBad, "blob frame"},
};

const std::vector<Malformed> kSubmissions{
    {"submit: nothing", request("submit", "{}"), kBad, "`cpu_microcores` is missing"},
    {"submit: misspelt", submit(R"("task":2)"), kBad, "did you mean `tasks`?"},
    {"submit: 0 tasks", submit(R"("tasks":0)"), kBad, "`tasks` is `0`"},
    {"submit: yield above 1", submit(R"("min_yield_ppm":1000001)"), kBad, "`min_yield_ppm`"},
    {"submit: may grow to nothing", submit(R"("max_cpu_microcores":0)"), kBad, "`max_cpu_microcores`"},
    {"submit: on failure unknown", submit(R"("on_task_failure":"continu")"), kBad,
     "did you mean `continue`?"},
    {"submit: limit 0", submit(R"("time_limit_us":0)"), kBad, "`time_limit_us`"},
    {"submit: hold as text", submit(R"("hold":"no")"), kBad, "`hold` is `no`"},
    {"submit: name too long", submit(R"("name":")" + std::string(257, 'n') + '"'), kLarge,
     "`name` has 257"},
    {"submit: uid not ours to say", submit(R"("uid":0)"), kBad, "`uid` is not known here"},
    {"program no object", submit("", "[]"), kBad, "`program` is an array"},
    {"program without kind", submit("", "{}"), kBad, "`program.kind` is missing"},
    {"program unknown", submit("", R"({"kind":"comand"})"), kBad, "did you mean `command`?"},
    {"argv missing", submit("", R"({"kind":"command"})"), kBad, "`program.argv` is missing"},
    {"argv empty", submit("", R"({"kind":"command","argv":[]})"), kBad, "`program.argv` has 0 entries"},
    {"argv of numbers", submit("", R"({"kind":"command","argv":["a",1]})"), kBad,
     "`program.argv[1]` is `1`"},
    {"argv NUL", submit("", R"({"kind":"command","argv":["\u0000"]})"), kBad,
     "`program.argv[0]` has a NUL"},
    {"argv too long", submit("", R"({"kind":"command","argv":[")" + std::string(140000, 'a') + "\"]}"),
     kLarge, "`program.argv` has 140001 bytes"},
    {"hash of another shape", submit("", R"({"kind":"command","argv":["a"],"archive_sha256":"xyz"})"), kBad,
     "is no SHA-256"},
    {"archive not sent",
     submit("", R"({"kind":"command","argv":["a"],"archive_sha256":")" + std::string(64, 'a') + "\"}"),
     kBad, "names an archive that is not there"},
    {"chain without blocks", submit("", R"({"kind":"hash_chain","unit":1})"), kBad,
     "`program.blocks` is missing"},
    {"chain with a kernel's field", submit("", R"({"kind":"hash_chain","blocks":1,"unit":1,"initrd":"x"})"),
     kBad, "`program.initrd` is not known here"},
    {"image with an empty command", submit("", R"({"kind":"image","image":"a","argv":[]})"), kBad,
     "`program.argv` has 0 entries"},
    {"image empty", submit("", R"({"kind":"image","image":""})"), kBad, "`program.image` is empty"},
};

TEST(MalformedRequests, EachGetsOneClearError) {
  std::vector<Malformed> all = kFrames;
  all.insert(all.end(), kBodies.begin(), kBodies.end());
  all.insert(all.end(), kSubmissions.begin(), kSubmissions.end());
  ASSERT_GE(all.size(), 40U);
  for (const Malformed& bad : all) {
    const auto decoded = decode_request(bad.frames);
    ASSERT_FALSE(decoded) << bad.what;
    EXPECT_EQ(decoded.error().error.kind, bad.kind) << bad.what << ": " << decoded.error().error.message;
    EXPECT_NE(decoded.error().error.message.find(bad.says), std::string::npos)
        << bad.what << ": " << decoded.error().error.message;
    EXPECT_LT(decoded.error().error.message.size(), 1000U) << bad.what;
  }
}

TEST(MalformedRequests, KeepTheIdWhereItCouldBeRead) {
  const auto decoded = decode_request({"", "ALIQUOT/1", R"({"id":"abc","method":"nope"})", "{}"});
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().id, "abc");
  EXPECT_TRUE(decoded.error().delimited);
}

TEST(MalformedRequests, AnArchiveMustHaveTheHashThatIsNamed) {
  EXPECT_TRUE(check_archive("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  const auto other = check_archive("not it", std::string(64, 'a'));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, kBad);
  EXPECT_NE(other.error().message.find("the archive's SHA-256 is"), std::string::npos);
}

// Anyone can send one: only a request with a ticket may cost the time of a hash.
TEST(MalformedRequests, AnArchiveIsNotHashedWhereARequestIsRead) {
  Frames frames =
      submit("", R"({"kind":"command","argv":["a"],"archive_sha256":")" + std::string(64, 'a') + "\"}");
  frames.emplace_back("not it");
  EXPECT_TRUE(decode_request(frames));
}

// Every byte of a good request replaced, dropped or doubled at random: an answer, never a crash.
TEST(MalformedRequests, DamagedBytesNeverCrash) {
  std::mt19937 random(20240601);
  const Frames good = submit(R"("tasks":4,"name":"primes","min_yield_ppm":500000)");
  ASSERT_TRUE(decode_request(good));
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    Frames frames = good;
    std::string& frame = frames[random() % frames.size()];
    const std::size_t at = random() % frame.size();
    if (round % 3 == 0) frame[at] = static_cast<char>(random());
    if (round % 3 == 1) frame.erase(at, 1 + random() % 8);
    if (round % 3 == 2) frame.insert(at, frame.substr(random() % frame.size(), 6));
    const auto decoded = decode_request(frames);
    if (decoded) continue;
    ++refused;
    ASSERT_FALSE(decoded.error().error.message.empty());
  }
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace aliquot
