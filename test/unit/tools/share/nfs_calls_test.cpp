// What a guest sends to an NFS server reaches it in the name of the job's user, whatever the guest says.
#include "tools/share/nfs_calls.hpp"

#include <gtest/gtest.h>

#include <random>

namespace aliquot::share {
namespace {

using Words = std::vector<std::uint32_t>;

std::string bytes_of(const Words& words) {
  std::string bytes;
  for (const std::uint32_t word : words)
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(word >> shift & 0xff));
  return bytes;
}

std::uint32_t word_of(const std::string& bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = at; i < at + 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes.at(i));
  return word;
}

std::string fragment(const std::string& content, bool is_last = true) {
  return bytes_of({(is_last ? 0x80000000U : 0U) | static_cast<std::uint32_t>(content.size())}) + content;
}

const AuthSys kUser{1000, 100, {4, 24}};
const Words kUsersCredential{1, 28, 0, 0, 1000, 100, 2, 4, 24, 0, 0};

// A call as Linux makes it: AUTH_SYS of root, with a machine name.
const Words kRoot{1, 32, 0x1234, 5, 0x7461736b, 0x30000000, 0, 0, 1, 0, 0, 0};
// Its parameters: no tag, minor version 1, and operations that nothing reads here.
std::string call(const Words& credential, const std::string& parameters = bytes_of({0, 1, 7}),
                 std::uint32_t procedure = 1) {
  return bytes_of({77, 0, 2, 100003, 4, procedure}) + bytes_of(credential) + parameters;
}
std::string call_of_user(const std::string& parameters = bytes_of({0, 1, 7}), std::uint32_t procedure = 1) {
  return bytes_of({77, 0, 2, 100003, 4, procedure}) + bytes_of(kUsersCredential) + parameters;
}

std::string taken(const std::string& bytes, std::size_t piece = std::string::npos) {
  NfsCalls calls(kUser);
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size()))
    if (const auto done = calls.take(std::string_view(bytes).substr(at, piece), out); !done)
      return "error: " + done.error().message;
  return out;
}

TEST(NfsCalls, have_the_credential_of_the_user_in_place_of_that_of_the_guest) {
  EXPECT_EQ(taken(fragment(call(kRoot))), fragment(call_of_user()));
}

TEST(NfsCalls, without_a_credential_get_one) {
  EXPECT_EQ(taken(fragment(call({0, 0, 0, 0}, "", 0))), fragment(call_of_user("", 0)));
}

TEST(NfsCalls, come_out_whole_however_they_are_cut) {
  const std::string three = fragment(call(kRoot)) + fragment(call({0, 0, 0, 0}, "", 0)) +
                            fragment(call(kRoot, bytes_of({3, 0x61626300, 1})));
  const std::string expected = fragment(call_of_user()) + fragment(call_of_user("", 0)) +
                               fragment(call_of_user(bytes_of({3, 0x61626300, 1})));
  for (std::size_t piece = 1; piece <= three.size(); ++piece)
    EXPECT_EQ(taken(three, piece), expected) << piece;
}

TEST(NfsCalls, of_several_fragments_become_one) {
  const std::string whole = call(kRoot);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut)
    EXPECT_EQ(
        taken(fragment(whole.substr(0, cut), false) + fragment("", false) + fragment(whole.substr(cut))),
        fragment(call_of_user()))
        << cut;
}

TEST(NfsCalls, let_replies_of_the_guest_pass_as_they_are) {
  const std::string reply = bytes_of({5, 1, 0, 0, 0, 0}) + "odd";
  EXPECT_EQ(taken(fragment(reply)), fragment(reply));
}

TEST(NfsCalls, carry_the_largest_write_and_nothing_larger) {
  const std::string data = bytes_of({0, 1}) + std::string(std::size_t{1} << 20, 'x');
  EXPECT_EQ(taken(fragment(call(kRoot, data))), fragment(call_of_user(data)));
  const std::string huge = bytes_of({0x80000000U | (kLargestRecord + 1)});
  EXPECT_TRUE(taken(huge).starts_with("error: the guest sent a record of more than")) << taken(huge);
  const std::string in_two = fragment(std::string(kLargestRecord, 'x'), false) + bytes_of({0x80000001U});
  EXPECT_TRUE(taken(in_two).starts_with("error: the guest sent a record of more than"));
}

TEST(NfsCalls, of_any_other_kind_are_refused) {
  const auto refused = [](const Words& head, const Words& credential) {
    const std::string said = taken(fragment(bytes_of(head) + bytes_of(credential)));
    return said.starts_with("error: the guest sent ");
  };
  const Words none{0, 0, 0, 0};
  EXPECT_FALSE(refused({77, 0, 2, 100003, 4, 1}, {0, 0, 0, 0, 0, 1}));
  EXPECT_TRUE(refused({77, 0, 2, 100003, 4, 1}, {0, 0, 0, 0, 0, 0})) << "version 4.0";
  EXPECT_TRUE(refused({77, 0, 2, 100003, 4, 1}, {0, 0, 0, 0, 0, 2})) << "version 4.2";
  EXPECT_TRUE(refused({77, 0, 2, 100003, 4, 1}, {0, 0, 0, 0, 0x7fffffff, 1})) << "a tag without an end";
  EXPECT_TRUE(refused({77, 0, 2, 100003, 3, 1}, none)) << "version 3";
  EXPECT_TRUE(refused({77, 0, 2, 100005, 3, 1}, none)) << "mountd";
  EXPECT_TRUE(refused({77, 0, 2, 100003, 4, 2}, none)) << "no such procedure";
  EXPECT_TRUE(refused({77, 0, 3, 100003, 4, 1}, none)) << "another version of RPC";
  EXPECT_TRUE(refused({77, 2, 2, 100003, 4, 1}, none)) << "neither a call nor a reply";
  EXPECT_TRUE(refused({77, 0, 2, 100003, 4, 1}, {6, 0, 0, 0})) << "RPCSEC_GSS";
  EXPECT_TRUE(refused({77, 0, 2, 100003, 4, 1}, {0, 0, 6, 0})) << "a verifier of RPCSEC_GSS";
  EXPECT_TRUE(refused({77, 0, 2, 100003, 4, 1}, {1, 404})) << "a credential that is too long";
  EXPECT_TRUE(refused({77, 0, 2, 100003, 4, 1}, {1, 0xfffffffd})) << "a length that overflows";
  EXPECT_TRUE(refused({77, 0, 2, 100003, 4, 1}, {0, 0, 0})) << "cut off";
  EXPECT_TRUE(taken(fragment("")).starts_with("error")) << "an empty record";
}

// Reads what goes to the server, as it does; empty: every call is the user's.
std::string foreign_call(const std::string& out) {
  for (std::size_t at = 0; at < out.size();) {
    const std::uint32_t mark = word_of(out, at);
    const std::string record = out.substr(at + 4, mark & 0x7fffffff);
    if ((mark & 0x80000000U) == 0 || record.size() != (mark & 0x7fffffff)) return "a broken record";
    at += 4 + record.size();
    if (record.size() < 8) return "a short record";
    if (word_of(record, 4) == 1) continue;
    if (record.substr(4, 16) != bytes_of({0, 2, 100003, 4})) return "no call of NFS";
    if (record.substr(24, kUsersCredential.size() * 4) != bytes_of(kUsersCredential)) return "another user";
  }
  return "";
}

TEST(NfsCalls, are_the_users_whatever_bytes_a_guest_sends) {
  std::mt19937 random(20490);
  const std::string good = fragment(call(kRoot)) + fragment(call(kRoot).substr(0, 30), false) +
                           fragment(call(kRoot).substr(30)) + fragment(bytes_of({5, 1, 0, 0})) +
                           fragment(call({0, 0, 0, 0}));
  int passed = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good;
    for (std::uint32_t change = random() % 4; change > 0; --change) {
      const std::size_t at = random() % bytes.size();
      if (random() % 3 == 0)
        bytes.erase(at, 1 + random() % 4);
      else if (random() % 2 == 0)
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 40));
      else
        bytes[at] = static_cast<char>(random());
    }
    NfsCalls calls(kUser);
    std::string out;
    bool good_so_far = true;
    for (std::size_t at = 0; at < bytes.size() && good_so_far;) {
      const std::size_t piece = 1 + random() % 60;
      good_so_far = calls.take(std::string_view(bytes).substr(at, piece), out).has_value();
      at += piece;
    }
    ASSERT_EQ(foreign_call(out), "") << "round " << round;
    passed += good_so_far ? 1 : 0;
  }
  EXPECT_GT(passed, 4000) << "most bytes were refused: the test tries nothing";
}

}  // namespace
}  // namespace aliquot::share
