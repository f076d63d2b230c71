#include "monitor/audit/audit_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "monitor/sha256.hpp"
#include "policies/model/units.hpp"

namespace aliquot::audit {
namespace {

namespace fs = std::filesystem;

constexpr auto kGroup = std::chrono::milliseconds(100);  // records of so long are flushed together
constexpr auto kAgain = std::chrono::seconds(1);         // after an error
constexpr std::uint64_t kMostOfALine = 64U << 10;

std::int64_t now_unix_us() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

std::string error_of(const char* what, const std::string& path) {
  return std::string("cannot ") + what + " " + path + ": " + std::strerror(errno);
}

// The manager's own word in the log.
Record own_record(const char* method, std::string why) {
  Record record;
  record.unix_us = now_unix_us();
  record.uid = geteuid();
  record.pid = getpid();
  record.method = method;
  record.code = "ok";
  record.why = std::move(why);
  return record;
}

struct End {
  Head head;
  std::uint64_t size = 0;  // up to the end of its last whole line
  std::uint64_t cut = 0;   // bytes after it
};

// Of a file that has at least one byte.
Result<End> end_of(const std::string& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const std::uint64_t size = fd < 0 ? 0 : static_cast<std::uint64_t>(lseek(fd, 0, SEEK_END));
  const std::uint64_t from = size > 2 * kMostOfALine ? size - 2 * kMostOfALine : 0;
  std::string tail(size - from, '\0');
  const bool is_read = fd >= 0 && pread(fd, tail.data(), tail.size(), static_cast<off_t>(from)) ==
                                      static_cast<ssize_t>(tail.size());
  const std::string why = error_of("read", file);
  if (fd >= 0) close(fd);
  if (!is_read) return fail(ErrorKind::unavailable, why);
  const auto last = tail.rfind('\n');
  if (last == std::string::npos) return End{{}, from, size - from};
  const auto before = last == 0 ? std::string::npos : tail.rfind('\n', last - 1);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  const std::string line = tail.substr(begin, last - begin);
  const auto parsed = nlohmann::json::parse(line, nullptr, false);
  if (!parsed.is_object() || !parsed.value("line", nlohmann::json()).is_number_unsigned())
    return fail(
        ErrorKind::conflict,
        "the last line of " + file + " is no line of an audit log: put the directory away, and look at it");
  return End{
      {parsed["line"].get<std::uint64_t>(), sha256_hex(line)}, from + last + 1, size - from - last - 1};
}

}  // namespace

Result<std::unique_ptr<AuditLog>> AuditLog::open(const std::string& directory, Limits limits) {
  std::error_code fault;
  fs::create_directories(directory, fault);
  if (fault || chmod(directory.c_str(), S_IRWXU) != 0)
    return fail(ErrorKind::unavailable, error_of("make", directory) + "; the audit log is to be there");
  Head head;
  std::uint64_t cut = 0;
  std::vector<std::string> files = files_in(directory);
  while (!files.empty()) {
    const auto end = end_of(files.back());
    if (!end) return tl::unexpected<Error>(end.error());
    if (end->cut > 0 && truncate(files.back().c_str(), static_cast<off_t>(end->size)) != 0)
      return fail(ErrorKind::unavailable, error_of("cut", files.back()));
    cut += end->cut;
    head = end->head;
    if (head.line > 0) break;
    files.pop_back();  // it has no whole line
  }
  std::unique_ptr<AuditLog> log(new AuditLog(directory, limits, head));
  if (auto trouble = log->open_file(); !trouble.empty()) return fail(ErrorKind::unavailable, trouble);
  log->thread_ = std::thread([raw = log.get()] { raw->run(); });
  if (cut > 0)
    log->note(own_record("audit.cut", std::to_string(cut) + " bytes of an incomplete line were cut off"));
  return log;
}

AuditLog::AuditLog(std::string directory, Limits limits, Head head)
    : directory_(std::move(directory)), limits_(limits), head_(std::move(head)) {}

AuditLog::~AuditLog() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  if (thread_.joinable()) thread_.join();
  if (fd_ >= 0) close(fd_);
}

void AuditLog::note(Record record) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= limits_.waiting) {
      ++lost_;
      ++lost_unsaid_;
      return;
    }
    waiting_.push_back(std::move(record));
  }
  work_.notify_one();
}

void AuditLog::flush() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return (waiting_.empty() && !writing_) || !trouble_.empty(); });
}

Head AuditLog::head() const {
  const std::lock_guard lock(mutex_);
  return head_;
}
std::uint64_t AuditLog::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}
std::string AuditLog::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void AuditLog::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return !waiting_.empty() || stopping_; });
    if (waiting_.empty()) return;
    work_.wait_for(lock, kGroup, [this] { return stopping_; });
    std::deque<Record> records = std::exchange(waiting_, {});
    if (const std::uint64_t lost = std::exchange(lost_unsaid_, 0); lost > 0)
      records.push_back(own_record("audit.lost", std::to_string(lost) + " records found no place"));
    writing_ = true;
    lock.unlock();
    std::string trouble = write(records);
    lock.lock();
    writing_ = false;
    trouble_ = std::move(trouble);
    if (!trouble_.empty()) {
      // They stay the oldest; the next attempt takes them again.
      waiting_.insert(waiting_.begin(), records.begin(), records.end());
      if (stopping_) return done_.notify_all();
      done_.notify_all();
      work_.wait_for(lock, kAgain, [this] { return stopping_; });
    }
    done_.notify_all();
  }
}

// All of them are on disk, or none; an error otherwise.
std::string AuditLog::write(const std::deque<Record>& records) {
  Head head = this->head();
  if (fd_ < 0 || size_ >= limits_.file_bytes) {
    if (auto trouble = open_file(); !trouble.empty()) return trouble;
  }
  std::string text;
  for (const Record& record : records) text += next_line(head, record) + "\n";
  const ssize_t put = ::write(fd_, text.data(), text.size());
  if (put != static_cast<ssize_t>(text.size()) || fdatasync(fd_) != 0) {
    std::string trouble = error_of("write to", directory_);
    if (ftruncate(fd_, static_cast<off_t>(size_)) != 0) trouble += "; nor can it be undone";
    return trouble;
  }
  size_ += text.size();
  const std::lock_guard lock(mutex_);
  head_ = std::move(head);
  return {};
}

// The file that the next line goes into: the newest one, while it is small.
std::string AuditLog::open_file() {
  const std::vector<std::string> files = files_in(directory_);
  std::error_code none;
  const bool goes_on = !files.empty() && fs::file_size(files.back(), none) < limits_.file_bytes;
  const std::string path = goes_on ? files.back() : directory_ + "/" + file_name(head().line + 1);
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return error_of("open", path);
  if (const int directory = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      directory >= 0) {
    fsync(directory);
    close(directory);
  }
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
  size_ = fs::file_size(path, none);
  return {};
}

}  // namespace aliquot::audit
