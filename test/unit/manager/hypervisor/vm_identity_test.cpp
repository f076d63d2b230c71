#include "manager/hypervisor/vm_identity.hpp"

#include <gtest/gtest.h>

#include <set>

namespace aliquot {
namespace {

constexpr Uuid kDns{0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1,
                    0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};

std::string hex(const std::array<std::uint8_t, 20>& digest) {
  std::string out;
  for (const std::uint8_t byte : digest) {
    out.push_back("0123456789abcdef"[byte >> 4]);
    out.push_back("0123456789abcdef"[byte & 15]);
  }
  return out;
}

TEST(Sha1, gives_the_digests_of_the_standard) {
  EXPECT_EQ(hex(sha1("")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(hex(sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(hex(sha1(std::string(1'000'000, 'a'))), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

// Around the block's end the padding takes one block or two.
TEST(Sha1, pads_every_length) {
  std::set<std::string> seen;
  for (std::size_t length = 50; length < 140; ++length) seen.insert(hex(sha1(std::string(length, 'x'))));
  EXPECT_EQ(seen.size(), 90U);
}

TEST(Uuid, of_a_name_is_as_in_rfc_4122) {
  EXPECT_EQ(to_string(uuid_v5(kDns, "python.org")), "886313e1-3b8a-5372-9b90-0c9aee199e5d");
  EXPECT_EQ(to_string(uuid_v5(kDns, "www.example.com")), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
}

// What stands in running clusters: a change here would orphan every VM at an update.
TEST(VmIdentity, has_the_uuid_it_always_had) {
  EXPECT_EQ(to_string(vm_uuid({"smoke", {7}, 0, 1, 99})), "555ebc9b-db1b-5691-bf2a-6c78d72fe291");
  EXPECT_EQ(vm_name({"smoke", {7}, 0, 1, 99}), "aliquot-7.0-1-555ebc");
}

TEST(VmIdentity, differs_in_every_part_but_the_epoch) {
  const VmIdentity vm{"c", {11}, 1, 1, 1};
  std::set<Uuid> seen{vm_uuid(vm)};
  EXPECT_TRUE(seen.insert(vm_uuid({"d", {11}, 1, 1, 1})).second);
  EXPECT_TRUE(seen.insert(vm_uuid({"c", {1}, 11, 1, 1})).second);
  EXPECT_TRUE(seen.insert(vm_uuid({"c", {11}, 11, 1, 1})).second);
  EXPECT_TRUE(seen.insert(vm_uuid({"c", {11}, 1, 2, 1})).second);
  EXPECT_FALSE(seen.insert(vm_uuid({"c", {11}, 1, 1, 2})).second);
}

TEST(VmIdentity, comes_back_from_its_metadata) {
  for (const std::string cluster :
       {"aliquot", "", "a\"b'c<d>&e", "x job=\"1\" task=\"2\"", "Zürich\n\t", "&amp;"}) {
    const VmIdentity vm{cluster, {UINT64_MAX}, UINT32_MAX, 3, 42};
    const auto back = parse_metadata(metadata_element(vm));
    ASSERT_TRUE(back) << cluster;
    EXPECT_EQ(*back, vm);
  }
}

TEST(VmIdentity, comes_back_as_libvirt_writes_it) {
  const auto back =
      parse_metadata("<vm cluster=\"c&amp;d\" job=\"7\" task=\"0\" incarnation=\"2\" epoch=\"3\"/>");
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, (VmIdentity{"c&d", {7}, 0, 2, 3}));
}

TEST(VmIdentity, is_not_taken_from_what_somebody_else_wrote) {
  const std::string whole = metadata_element({"c", {7}, 0, 1, 1});
  for (std::size_t length = 0; length + 12 < whole.size(); ++length) {
    EXPECT_FALSE(parse_metadata(whole.substr(0, length))) << length;
  }
  for (const char* broken :
       {"", "<vm/>", "<vm cluster=\"c\" job=\"-7\" task=\"0\" incarnation=\"1\" epoch=\"1\"/>",
        "<vm cluster=\"c\" job=\"7x\" task=\"0\" incarnation=\"1\" epoch=\"1\"/>",
        "<vm cluster=\"c\" job=\"99999999999999999999\" task=\"0\" incarnation=\"1\" epoch=\"1\"/>",
        "<vm cluster=\"c\" job=\"7\" task=\"4294967296\" incarnation=\"1\" epoch=\"1\"/>",
        "<vm cluster=\"c\" job=\"\" task=\"0\" incarnation=\"1\" epoch=\"1\"/>"}) {
    EXPECT_FALSE(parse_metadata(broken)) << broken;
  }
  EXPECT_FALSE(parse_metadata(whole + std::string(5000, ' ')));
}

}  // namespace
}  // namespace aliquot
