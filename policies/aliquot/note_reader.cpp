#include "policies/aliquot/note_reader.hpp"

#include <bit>
#include <charconv>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace aliquot {

namespace {

constexpr int kSurelyWithin = 18;  // digits of 64 bits
constexpr int kSurelyShort = 9;    // of 32
constexpr int kWord = 8;
constexpr int kWindow = 4 * kWord;
constexpr int kNumbers = 5;     // of an entry
constexpr int kFewDigits = 16;  // are read together

JobId job_of(std::int64_t number) { return {static_cast<std::uint64_t>(number)}; }

constexpr std::uint64_t kEach = 0x0101010101010101U;

// Eight characters at once, the first in the lowest byte.
std::uint64_t word_at(const char* text) {
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

// What so many digits say, at least one and at most eight, of eight characters that can be read: pairs of
// digits are added up, then pairs of these, then both halves.
std::uint64_t value_of_few(const char* digits, int count) {
  constexpr std::uint64_t kBytes = 0x00ff00ff00ff00ffU;
  constexpr std::uint64_t kWords = 0x0000ffff0000ffffU;
  std::uint64_t value = (word_at(digits) - kEach * '0') << (8 * (kWord - count));
  value = (value * 10 + (value >> 8)) & kBytes;
  value = (value * 100 + (value >> 16)) & kWords;
  return (value * 10'000 + (value >> 32)) & UINT32_MAX;
}
// The same of at most sixteen.
std::int64_t value_of(const char* digits, int count) {
  constexpr std::int64_t kHalf = 100'000'000;
  if (count <= kWord) return static_cast<std::int64_t>(value_of_few(digits, count));
  const auto high = static_cast<std::int64_t>(value_of_few(digits, count - kWord));
  return high * kHalf + static_cast<std::int64_t>(value_of_few(digits + (count - kWord), kWord));
}

#ifdef __SSE2__
// Sixteen characters at once, as sets of bits.
struct Look {
  static constexpr int kSize = 16;
  std::uint32_t blanks;
  std::uint32_t zeros;
  std::uint32_t digits;
  explicit Look(const char* text) {
    const __m128i read = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
    const __m128i value = _mm_sub_epi8(read, _mm_set1_epi8('0'));  // a digit: at most 9
    blanks = set_of(_mm_cmpeq_epi8(read, _mm_set1_epi8(' ')));
    zeros = set_of(_mm_cmpeq_epi8(value, _mm_setzero_si128()));
    digits = set_of(_mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value));
  }
  static std::uint32_t set_of(__m128i bytes) {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
  }
};
#else
// The highest bit of each byte that is 0; the others are 0.
std::uint64_t zeros_of(std::uint64_t word) {
  constexpr std::uint64_t kLow = kEach * 0x7f;
  return ~(((word & kLow) + kLow) | word | kLow);
}
// One bit for each byte, from the highest of each.
std::uint32_t gathered(std::uint64_t high_bits) {
  return static_cast<std::uint32_t>(((high_bits >> 7) * 0x0102040810204080U) >> 56);
}
// Bytes above '9' or below '0', blanks included.
std::uint64_t no_digits(std::uint64_t word) {
  const std::uint64_t value = word ^ (kEach * '0');  // a digit: at most 9
  return ((value & (kEach * 0x7f)) + kEach * (0x7f - 9)) | value;
}
// Eight characters at once, as sets of bits.
struct Look {
  static constexpr int kSize = kWord;
  std::uint32_t blanks;
  std::uint32_t zeros;
  std::uint32_t digits;
  explicit Look(const char* text) {
    const std::uint64_t word = word_at(text);
    blanks = gathered(zeros_of(word ^ (kEach * ' ')));
    zeros = gathered(zeros_of(word ^ (kEach * '0')));
    digits = gathered(~no_digits(word) & (kEach * 0x80));
  }
};
#endif

// So many characters of a text, as sets of bits.
struct Window {
  std::uint32_t blanks = 0;
  std::uint32_t zeros = 0;
  std::uint32_t digits = 0;
  explicit Window(const char* text) {
    for (int k = 0; k < kWindow; k += Look::kSize) {
      const Look look(text + k);
      blanks |= look.blanks << k;
      zeros |= look.zeros << k;
      digits |= look.digits << k;
    }
  }
  // So many characters from the beginning, and a blank after them: not numbers as they would be written.
  [[nodiscard]] bool odd(int size) const {
    const std::uint32_t end = std::uint32_t{1} << size;
    const std::uint32_t part = end - 1;
    const std::uint32_t after_blank = blanks << 1;
    const std::uint32_t before_blank = blanks >> 1;
    return ((blanks | digits) & part) != part || (blanks & after_blank & (part | end)) != 0 ||
           (zeros & after_blank & ~before_blank & part) != 0;
  }
};

}  // namespace

std::int64_t NoteReader::number() {
  if (next_ == end_ || *next_ != ' ') return sound_ = false, 0;
  const char* const first = next_ + 1;
  const char* at = first;
  std::int64_t value = 0;
  for (; at != end_ && *at >= '0' && *at <= '9' && at - first < kSurelyWithin; ++at)
    value = 10 * value + (*at - '0');
  const bool whole = at != first && (at == end_ || *at == ' ');
  if (!whole) return any_number(first);
  if (*first == '0' && at - first > 1) plain_ = false;
  next_ = at;
  return value;
}

// That is kept in fewer bits.
std::int32_t NoteReader::short_number() {
  const std::int64_t value = number();
  const auto kept = static_cast<std::int32_t>(value);
  if (kept != value) plain_ = false;
  return kept;
}

// With a sign, very long, or none at all.
std::int64_t NoteReader::any_number(const char* first) {
  std::int64_t value = 0;
  plain_ = false;
  const auto [stop, error] = std::from_chars(first, end_, value);
  if (error != std::errc()) return sound_ = false, 0;
  next_ = stop;
  return value;
}

std::pair<JobId, Displaced> NoteReader::any_entry() {
  const char* const first = next_;
  plain_ = true;
  const JobId job = job_of(number());
  const std::int64_t by = number();
  const JobId helped = job_of(number());
  const std::int32_t before = short_number();
  const std::int32_t after = short_number();
  if (by < 0 || by > static_cast<std::int64_t>(Displaced::By::repack)) sound_ = false;
  const std::string_view written(first, static_cast<std::size_t>(next_ - first));
  return {job,
          {static_cast<Displaced::By>(by), helped, before, after, plain_ ? written : std::string_view()}};
}

// Both numbers together, if they are as they would be written, and not too long.
std::pair<JobId, Stall> NoteReader::stall_entry() {
  const char* const first = next_;
  if (end_ - next_ >= kWindow) {
    const Window text(next_);
    const std::uint32_t later = text.blanks & (text.blanks - 1);
    const int second = std::countr_zero(later);
    const int size = std::countr_zero(later & (later - 1));  // of nothing: beyond the window
    const bool short_enough = second <= kFewDigits && size - second <= kFewDigits && size < kWindow;
    if ((text.blanks & 1) != 0 && short_enough && !text.odd(size)) {
      next_ += size;
      return {job_of(value_of(first + 1, second - 1)),
              {{value_of(first + second + 1, size - second - 1)}, {first, static_cast<std::size_t>(size)}}};
    }
  }
  plain_ = true;
  const JobId job = job_of(number());
  const Instant until{number()};
  return {job, {until, {first, plain_ ? static_cast<std::size_t>(next_ - first) : 0}}};
}

// All its numbers are looked at together: they are short, and where each ends nobody could foretell.
std::pair<JobId, std::string_view> NoteReader::plain_entry() {
  if (end_ - next_ < kWindow) {
    const char* const first = next_;
    const bool sound = sound_;
    const auto [job, why] = any_entry();
    if (sound_ && !why.as_read.empty()) return {job, why.as_read};
    next_ = first;
    sound_ = sound;
    return {};
  }
  const Window text(next_);
  std::uint32_t rest = text.blanks;
  int blank[kNumbers + 1];
  for (int& at : blank) {
    at = std::countr_zero(rest);  // of nothing: beyond the window
    rest &= rest - 1;
  }
  const int size = blank[kNumbers];
  if (blank[0] != 0 || size >= kWindow) return {};
  if (text.odd(size) || blank[1] > kFewDigits || blank[2] != blank[1] + 2 || next_[blank[1] + 1] > '3' ||
      blank[3] - blank[2] > kSurelyWithin || blank[4] - blank[3] > kSurelyShort ||
      size - blank[4] > kSurelyShort)
    return {};
  const std::int64_t job = value_of(next_ + 1, blank[1] - 1);
  const std::string_view written(next_, static_cast<std::size_t>(size));
  next_ += size;
  return {job_of(job), written};
}

}  // namespace aliquot
