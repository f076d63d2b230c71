// Files that were not meant as configuration, or were meant to do harm: one clear fault, in little time.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "config/file_text.hpp"
#include "test/unit/config/support.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;
using test::faults_of;
using test::kNode;
using test::read;

class HostileFile : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/aliquot-config-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string write(const std::string& text) {
    std::ofstream(dir_ + "/a.yaml", std::ios::binary) << text;
    return dir_ + "/a.yaml";
  }
  // The one fault of loading `path`, without the path.
  static std::string fault_of(const std::string& path) {
    const auto loaded = load_settings(path, test::known_spec);
    if (loaded || loaded.error().size() != 1) return "not one fault";
    return loaded.error()[0].text;
  }
  std::string dir_;
};

TEST_F(HostileFile, ThatIsNoFileIsNamed) {
  EXPECT_EQ(fault_of(dir_ + "/none.yaml"), "there is no such file; check the path");
  EXPECT_EQ(fault_of(dir_), "is a directory; name a file in it");
  EXPECT_EQ(fault_of("/dev/zero"), "is not a regular file; copy what it says into one");
  ASSERT_EQ(mkfifo((dir_ + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(fault_of(dir_ + "/pipe"), "is not a regular file; copy what it says into one");
  EXPECT_NE(fault_of(std::string("/etc/\0x", 7)).find("NUL"), std::string::npos);
}

TEST_F(HostileFile, ThatMayNotBeReadIsNamed) {
  const std::string path = write(kNode);
  ASSERT_EQ(chmod(dir_.c_str(), 0755), 0);
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  const pid_t child = fork();  // root may read everything: read as the user `nobody`
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (getuid() == 0 && setuid(65534) != 0) _exit(2);
    _exit(fault_of(path).starts_with("permission denied; make it readable") ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(HostileFile, OfTenMegabytesIsNotRead) {
  EXPECT_EQ(fault_of(write(std::string(10 << 20, '#'))),
            "is larger than 1024 KiB, which no configuration needs; is this the right file?");
}

TEST_F(HostileFile, ThatIsBinaryIsNamedWithThePlaceOfTheByte) {
  EXPECT_EQ(fault_of(write(std::string("cluster: lab\n\0", 14))),
            "the control character 0x00 is no text; remove it");
  EXPECT_EQ(faults_of(read("cluster: \xff\n")),
            "a.yaml:1:10: the byte 0xff is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(faults_of(read(kNode + "a: \x1b[31m\n")).substr(0, 11), "a.yaml:4:4:");
  std::mt19937 random(3);
  std::string noise(4096, ' ');
  for (char& c : noise) c = static_cast<char>(random());
  EXPECT_FALSE(read(noise));
}

TEST(Hostile, BracketsAndListsWithoutEndAreCutShort) {
  for (const char* piece : {"[", "{", "- ", "? ", "[{", "!", "a: [", "\"", "|\n", "&a ", "*"}) {
    std::string text;
    while (text.size() < 200'000) text += piece;
    const auto loaded = read(text);
    ASSERT_FALSE(loaded) << piece;
    EXPECT_EQ(loaded.error().size(), 1u) << piece;
  }
}

TEST(Hostile, TooManyNodesAreOneFault) {
  std::string text = "nodes:\n";
  for (int i = 0; i < 10'001; ++i) text += "  - {name: n" + std::to_string(i) + ", uri: 'q://'}\n";
  const auto loaded = read(text);
  ASSERT_FALSE(loaded);
  EXPECT_NE(faults_of(loaded).find("there are 10001 nodes; at most 10000"), std::string::npos);
}

TEST(Hostile, AThousandFaultsAreShownInFifty) {
  std::string text = kNode;
  for (int i = 0; i < 1000; ++i) text += "x" + std::to_string(i) + ": 1\n";
  const auto loaded = read(text);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().size(), 1000u);
  const std::string message = faults_of(loaded);
  EXPECT_TRUE(message.ends_with("\nand 950 more faults")) << message.substr(message.size() - 100);
}

// Every damage either leaves a lawful file or is named; nothing throws, hangs or crashes.
TEST(Hostile, RandomDamageIsSurvived) {
  std::ifstream file(ALIQUOT_SOURCE_DIR "/config/aliquot.example.yaml");
  const std::string good((std::istreambuf_iterator<char>(file)), {});
  ASSERT_TRUE(read(good));
  std::mt19937 random(11);
  const std::string spice = "[]{}:-?|>&*!%@`'\"#, \t\n\\0x9~";
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (int n = 0; n < 3; ++n) {
      const std::size_t at = random() % text.size();
      if (random() % 2)
        text.erase(at, 1 + random() % 20);
      else
        text.insert(at, 1, spice[random() % spice.size()]);
    }
    const auto loaded = read(text);
    if (loaded) continue;
    ++refused;
    for (const Fault& fault : loaded.error())
      EXPECT_NE(fault.text.find("; "), std::string::npos) << fault.text;
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace aliquot
