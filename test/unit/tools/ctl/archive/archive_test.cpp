#include "tools/ctl/archive.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "test/unit/tools/ctl/archive/newc_reader.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

// A folder of its own, and PATH as it was afterwards.
class Archive : public testing::Test {
 protected:
  Archive() {
    char name[] = "/tmp/aliquot-archive-XXXXXX";
    folder_ = fs::canonical(mkdtemp(name));
  }
  ~Archive() override {
    fs::remove_all(folder_);
    setenv("PATH", path_.c_str(), 1);
  }

  fs::path write(const std::string& name, const std::string& content) {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << content;
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  static std::map<std::string, ReadEntry> packed(const std::vector<std::string>& argv) {
    const auto packed = pack_command({argv});
    EXPECT_TRUE(packed.has_value()) << packed.error().message;
    return packed && !packed->entries.empty() ? read_newc(archive_in_memory(packed->entries).value())
                                              : std::map<std::string, ReadEntry>{};
  }

  static ErrorKind refused(const std::vector<std::string>& argv, const std::string& part) {
    const auto archive = pack_command({argv});
    EXPECT_FALSE(archive.has_value());
    if (archive) return ErrorKind::internal;
    EXPECT_NE(archive.error().message.find(part), std::string::npos) << archive.error().message;
    return archive.error().kind;
  }

  static std::string relative(const fs::path& path) { return path.relative_path().string(); }

  fs::path folder_;
  fs::path self_ = fs::read_symlink("/proc/self/exe");
  std::string path_ = getenv("PATH");
};

TEST_F(Archive, OfAnInterpreterWithModulesItIsSaidThatTheyStayBehind) {
  fs::copy_file(self_, folder_ / "perl5.36");
  const fs::path script = write("script", "#!" + (folder_ / "perl5.36").string() + "\nuse POSIX;\n");
  const auto packed = pack_command({{script.string()}});
  ASSERT_TRUE(packed) << packed.error().message;
  ASSERT_EQ(packed->warnings.size(), 1U);
  EXPECT_EQ(packed->warnings[0].substr(0, 36), "perl travels without its modules: st");
  EXPECT_TRUE(pack_command({{self_.string()}})->warnings.empty());
}

TEST_F(Archive, ADynamicProgramTravelsWithItsLoaderAndLibraries) {
  const auto entries = packed({self_.string(), "argument"});
  ASSERT_TRUE(entries.contains(relative(self_)));
  EXPECT_EQ(entries.at(relative(self_)).content.size(), fs::file_size(self_));
  EXPECT_EQ(entries.at(relative(self_)).mode, 0100755U);
  EXPECT_EQ(entries.at("aliquot/program").content, self_.string());
  ASSERT_TRUE(entries.contains("lib64/ld-linux-x86-64.so.2"));
  int libraries = 0;
  for (const auto& [name, entry] : entries) {
    libraries += (entry.mode & 0170000) == 0100000 && name.find("/libc.so.6") != std::string::npos;
  }
  EXPECT_EQ(libraries, 1);
}

TEST_F(Archive, LinksLeadToFilesOfTheArchive) {
  const auto entries = packed({self_.string()});
  for (const auto& [name, entry] : entries) {
    if ((entry.mode & 0170000) != 0120000) continue;
    EXPECT_TRUE(entries.contains(relative(entry.content))) << name << " -> " << entry.content;
  }
}

TEST_F(Archive, EqualFilesGiveEqualBytes) {
  const auto archive = [this] {
    return archive_in_memory(pack_command({{self_.string()}})->entries).value();
  };
  EXPECT_EQ(archive(), archive());
}

TEST_F(Archive, ANameIsFoundInPathAndKeptAsALink) {
  fs::create_symlink(self_, folder_ / "my-command");
  setenv("PATH", ("/nowhere:" + folder_.string()).c_str(), 1);
  const auto entries = packed({"my-command"});
  EXPECT_EQ(entries.at("aliquot/program").content, (folder_ / "my-command").string());
  EXPECT_EQ(entries.at(relative(folder_ / "my-command")).content, self_.string());
  EXPECT_TRUE(entries.contains(relative(self_)));
}

TEST_F(Archive, AScriptBringsItsInterpreter) {
  const fs::path script = write("script", "#!/bin/sh -e\necho hello\n");
  const auto entries = packed({script.string()});
  EXPECT_EQ(entries.at(relative(script)).content, "#!/bin/sh -e\necho hello\n");
  EXPECT_TRUE(entries.contains("bin/sh"));
  EXPECT_TRUE(entries.contains("lib64/ld-linux-x86-64.so.2"));
}

TEST_F(Archive, EnvBringsWhatItStarts) {
  const fs::path tool = write("tool", "#!/bin/sh\n");
  const fs::path script = write("script", "#!/usr/bin/env -S tool -x\n");
  setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
  const auto entries = packed({script.string()});
  EXPECT_TRUE(entries.contains("usr/bin/env"));
  EXPECT_TRUE(entries.contains(relative(tool)));
  EXPECT_TRUE(entries.contains("bin/sh"));
}

TEST_F(Archive, AScriptWithoutItsInterpreterIsRefused) {
  EXPECT_EQ(refused({write("a", "#!/nowhere/x\n").string()}, "/nowhere/x"), ErrorKind::not_found);
  EXPECT_EQ(refused({write("b", "#!").string()}, "first line"), ErrorKind::not_found);
  EXPECT_EQ(refused({write("c", "#!/usr/bin/env no-such-tool\n").string()}, "no-such-tool"),
            ErrorKind::not_found);
}

TEST_F(Archive, ScriptsThatInterpretEachOtherEnd) {
  write("a", "#!" + (folder_ / "b").string() + "\n");
  write("b", "#!" + (folder_ / "a").string() + "\n");
  EXPECT_EQ(refused({(folder_ / "a").string()}, "interpret each other"), ErrorKind::invalid_argument);
}

TEST_F(Archive, WhatIsNotHereIsRefusedUnlessTheGuestHasIt) {
  setenv("PATH", folder_.c_str(), 1);
  EXPECT_TRUE(pack_command({{"sh", "-c", "true"}})->entries.empty());
  EXPECT_EQ(refused({"pyhton3"}, "'pyhton3' is not a program"), ErrorKind::not_found);
  EXPECT_EQ(refused({(folder_ / "sh").string()}, "not a program"), ErrorKind::not_found);
  EXPECT_EQ(refused({folder_.string()}, "not a program"), ErrorKind::not_found);
  EXPECT_EQ(refused({}, "no command"), ErrorKind::invalid_argument);
  EXPECT_EQ(refused({""}, "no command"), ErrorKind::invalid_argument);
}

TEST_F(Archive, AFileThatMayNotRunIsRefused) {
  const fs::path file = write("plain", "#!/bin/sh\n");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(refused({file.string()}, "not a program"), ErrorKind::not_found);
}

TEST_F(Archive, MoreThanTheBoundIsRefused) {
  const fs::path file = write("huge", "#!/bin/sh\n");
  fs::resize_file(file, kMaxArchive + 1);
  EXPECT_EQ(refused({file.string()}, "64 MiB"), ErrorKind::too_large);
  fs::resize_file(file, kMaxArchive - 1000);  // fits alone, not with the shell
  EXPECT_EQ(refused({file.string()}, "more than 64 MiB"), ErrorKind::too_large);
}

TEST_F(Archive, DamagedProgramsAreRefused) {
  std::ifstream file(self_, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(refused({write("text", "hello").string()}, "neither a script nor"), ErrorKind::unsupported);
  EXPECT_EQ(refused({write("empty", "").string()}, "neither a script nor"), ErrorKind::unsupported);
  EXPECT_EQ(refused({write("cut", whole.substr(0, 80)).string()}, "damaged"), ErrorKind::invalid_argument);
  std::string other = whole.substr(0, 4096);
  other[18] = 40;  // e_machine: 32-bit ARM
  EXPECT_EQ(refused({write("arm", other).string()}, "64-bit x86"), ErrorKind::unsupported);
}

}  // namespace
}  // namespace aliquot
