#include "tools/ctl/archive_elf.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

using Paths = std::vector<std::string>;

TEST(LibraryList, TakesPathsAndLeavesTheKernelsOwn) {
  EXPECT_EQ(
      parse_library_list("\tlinux-vdso.so.1 (0x00007ffd)\n"
                         "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f01)\n"
                         "\tlibodd (1).so => /opt/a b/libodd (1).so (0x00007f02)\n"
                         "\t/lib64/ld-linux-x86-64.so.2 (0x00007f03)\n",
                         "p"),
      (Paths{"/lib/x86_64-linux-gnu/libm.so.6", "/opt/a b/libodd (1).so", "/lib64/ld-linux-x86-64.so.2"}));
}

TEST(LibraryList, NamesAMissingLibrary) {
  const auto paths = parse_library_list("\tlibfoo.so.1 => not found\n", "/opt/p");
  ASSERT_FALSE(paths.has_value());
  EXPECT_EQ(paths.error().kind, ErrorKind::not_found);
  EXPECT_NE(paths.error().message.find("/opt/p needs libfoo.so.1"), std::string::npos);
}

TEST(LibraryList, OddTextGivesNoPaths) {
  for (const char* text : {"", "\n\n", "\t", " => ", "x => y", "/no/address", "(0x1)"}) {
    EXPECT_EQ(parse_library_list(text, "p"), Paths{}) << text;
  }
}

TEST(LibraryList, ALoaderThatFailsOrIsAbsentIsAnError) {
  const auto failed = list_libraries("/bin/false", "/bin/sh");
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().kind, ErrorKind::unsupported);
  const auto absent = list_libraries("/nowhere/ld.so", "/bin/sh");
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().kind, ErrorKind::not_found);
}

TEST(ElfInterpreter, EveryCutOfAProgramIsAnErrorOrAnAnswerNeverACrash) {
  FILE* file = fopen("/proc/self/exe", "rb");
  ASSERT_NE(file, nullptr);
  std::string head(2048, '\0');
  head.resize(fread(head.data(), 1, head.size(), file));
  fclose(file);
  const auto whole = elf_interpreter(head, "self");
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(*whole, "/lib64/ld-linux-x86-64.so.2");
  for (std::size_t size = 0; size < 120; ++size) {
    EXPECT_FALSE(elf_interpreter(std::string_view(head).substr(0, size), "self").has_value()) << size;
  }
  for (std::size_t at = 4; at < 400; ++at) {  // any one byte damaged
    std::string damaged = head;
    damaged[at] = '\xff';
    (void)elf_interpreter(damaged, "self");
  }
}

}  // namespace
}  // namespace aliquot
