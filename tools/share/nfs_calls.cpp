#include "tools/share/nfs_calls.hpp"

#include <algorithm>
#include <utility>

namespace aliquot::share {
namespace {

// RFC 5531, sections 8, 9 and 11.
constexpr std::uint32_t kCall = 0, kReply = 1, kRpcVersion = 2;
constexpr std::uint32_t kAuthNone = 0, kAuthSys = 1;
constexpr std::uint32_t kNfsProgram = 100003, kNfsVersion = 4;
constexpr std::uint32_t kNull = 0, kCompound = 1;
constexpr std::uint32_t kMinorVersion = 1;
constexpr std::uint32_t kLongestCredential = 400;  // bytes
constexpr std::uint32_t kLongestTag = 1024;        // bytes
constexpr std::uint32_t kLastFragment = 0x80000000U;
constexpr std::size_t kWord = 4;

tl::unexpected<Error> wrong(const std::string& what) {
  return fail(ErrorKind::refused, "the guest sent " + what);
}

void put_word(std::string& out, std::uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(word >> shift & 0xff));
}

std::uint32_t word_at(std::string_view bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < kWord; ++i) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

// Reads words off the front; after the end it is broken, and gives 0.
class Words {
 public:
  explicit Words(std::string_view bytes) : left_(bytes) {}
  std::uint32_t next() {
    if (left_.size() < kWord) is_broken_ = true;
    if (is_broken_) return 0;
    const std::uint32_t word = word_at(left_);
    left_.remove_prefix(kWord);
    return word;
  }
  // An opaque body: its length, and itself, padded to whole words.
  void skip_opaque(std::uint32_t longest) {
    const std::uint32_t length = next();
    const std::size_t padded = (std::size_t{length} + kWord - 1) / kWord * kWord;
    if (length > longest || left_.size() < padded) is_broken_ = true;
    if (!is_broken_) left_.remove_prefix(padded);
  }
  [[nodiscard]] bool is_broken() const { return is_broken_; }
  [[nodiscard]] std::string_view left() const { return left_; }

 private:
  std::string_view left_;
  bool is_broken_ = false;
};

// Of a COMPOUND. Earlier ones let a client name an address to which the server connects.
bool is_of_minor_version(Words arguments) {
  arguments.skip_opaque(kLongestTag);
  return arguments.next() == kMinorVersion && !arguments.is_broken();
}

// A credential AUTH_SYS with a stamp of 0 and no machine name, and a verifier AUTH_NONE.
std::string encoded(const AuthSys& user) {
  const std::size_t groups = std::min(user.groups.size(), kMostGroups);
  std::string out;
  put_word(out, kAuthSys);
  put_word(out, static_cast<std::uint32_t>((5 + groups) * kWord));
  put_word(out, 0);
  put_word(out, 0);
  put_word(out, user.uid);
  put_word(out, user.gid);
  put_word(out, static_cast<std::uint32_t>(groups));
  for (std::size_t i = 0; i < groups; ++i) put_word(out, user.groups[i]);
  put_word(out, kAuthNone);
  put_word(out, 0);
  return out;
}

}  // namespace

NfsCalls::NfsCalls(AuthSys user) : credential_(encoded(user)) {}

Result<void> NfsCalls::take(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    if (!in_fragment_) {
      const std::size_t count = std::min(bytes.size(), kWord - mark_.size());
      mark_.append(bytes.substr(0, count));
      bytes.remove_prefix(count);
      if (mark_.size() < kWord) return {};
      if (auto taken = take_mark(out); !taken) return taken;
      continue;
    }
    const std::size_t count = std::min(bytes.size(), fragment_left_);
    record_.append(bytes.substr(0, count));
    bytes.remove_prefix(count);
    fragment_left_ -= count;
    if (fragment_left_ > 0) return {};
    in_fragment_ = false;
    if (!is_last_) continue;
    if (auto finished = finish_record(out); !finished) return finished;
  }
  return {};
}

Result<void> NfsCalls::take_mark(std::string& out) {
  const std::uint32_t mark = word_at(mark_);
  mark_.clear();
  fragment_left_ = mark & ~kLastFragment;
  is_last_ = (mark & kLastFragment) != 0;
  if (fragment_left_ > kLargestRecord - record_.size())
    return wrong("a record of more than " + std::to_string(kLargestRecord) + " bytes");
  in_fragment_ = fragment_left_ > 0;
  if (in_fragment_ || !is_last_) return {};
  return finish_record(out);
}

Result<void> NfsCalls::finish_record(std::string& out) {
  const std::string record = std::exchange(record_, {});
  Words words(record);
  const std::uint32_t call = words.next();
  const std::uint32_t kind = words.next();
  if (!words.is_broken() && kind == kReply) {
    put_word(out, kLastFragment | static_cast<std::uint32_t>(record.size()));
    out += record;
    return {};
  }
  const std::uint32_t version = words.next();
  const std::uint32_t program = words.next(), program_version = words.next(), procedure = words.next();
  const std::uint32_t flavor = words.next();
  words.skip_opaque(kLongestCredential);
  const std::uint32_t verifier = words.next();
  words.skip_opaque(kLongestCredential);
  if (words.is_broken() || kind != kCall || version != kRpcVersion) return wrong("what is no call");
  if (program != kNfsProgram || program_version != kNfsVersion ||
      (procedure != kNull && procedure != kCompound))
    return wrong("a call of program " + std::to_string(program) + ", version " +
                 std::to_string(program_version) + ", procedure " + std::to_string(procedure));
  if ((flavor != kAuthNone && flavor != kAuthSys) || verifier != kAuthNone)
    return wrong("a call with authentication " + std::to_string(flavor) + ", and only AUTH_SYS is passed");
  if (procedure == kCompound && !is_of_minor_version(words))
    return wrong("a call of NFS version 4 that is not of 4.1");
  const std::size_t head = 6 * kWord;
  put_word(out,
           kLastFragment | static_cast<std::uint32_t>(head + credential_.size() + words.left().size()));
  put_word(out, call);
  out.append(record, kWord, head - kWord);
  out += credential_;
  out += words.left();
  return {};
}

}  // namespace aliquot::share
