#include "net/certificate_watcher.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tpu_admission::net {
namespace {

constexpr std::size_t kMaxFileBytes = 1u << 20;

struct FileText {
  int error = 0;  // errno
  std::string text;
};

FileText ReadWhole(const std::string& path) {
  const std::unique_ptr<FILE, decltype([](FILE* file) { std::fclose(file); })> file(
      std::fopen(path.c_str(), "rbe"));
  if (!file) return {errno, {}};
  FileText read;
  char block[4096];
  while (const std::size_t bytes = std::fread(block, 1, sizeof block, file.get())) {
    read.text.append(block, bytes);
    if (read.text.size() > kMaxFileBytes) return {EFBIG, {}};
  }
  if (std::ferror(file.get()) != 0) return {EIO, {}};
  return read;
}

struct Pair {
  FileText certificate;
  FileText private_key;
};

// Both files as of one moment: if the certificate changed while the key was read, again.
Pair ReadPair(const TlsFiles& files) {
  constexpr int kAttempts = 3;
  Pair pair{ReadWhole(files.certificate), {}};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    pair.private_key = ReadWhole(files.private_key);
    FileText again = ReadWhole(files.certificate);
    const bool same = again.text == pair.certificate.text;
    pair.certificate = std::move(again);
    if (same) break;
  }
  return pair;
}

CertificateWatcher::Look Unreadable(const char* what, const std::string& path, int error) {
  using Outcome = CertificateWatcher::Outcome;
  return {error == ENOENT || error == ENOTDIR ? Outcome::kMissing : Outcome::kFailed,
          std::string("cannot read TLS ") + what + " " + path + ": " + std::strerror(error)};
}

}  // namespace

CertificateWatcher::CertificateWatcher(TlsFiles files, ServerObserver& observer)
    : files_(std::move(files)), observer_(observer) {}

std::shared_ptr<const TlsContext> CertificateWatcher::current() const {
  std::lock_guard lock(mutex_);
  return current_;
}

CertificateWatcher::Look CertificateWatcher::Poll() {
  Look look = Load();
  if (look.outcome == Outcome::kLoaded) {
    observer_.OnCertificateLoaded(current_->not_after(), current_->subject());
  } else if (look.outcome != Outcome::kUnchanged) {
    observer_.OnCertificateError(look.why);
  }
  return look;
}

CertificateWatcher::Look CertificateWatcher::Load() {
  Pair pair = ReadPair(files_);
  if (const int error = pair.certificate.error) {
    return Unreadable("certificate", files_.certificate, error);
  }
  if (const int error = pair.private_key.error) {
    return Unreadable("private key", files_.private_key, error);
  }
  if (current_ && pair.certificate.text == certificate_ && pair.private_key.text == private_key_) {
    return {Outcome::kUnchanged, {}};
  }
  auto made = TlsContext::FromPem(pair.certificate.text, pair.private_key.text, files_.allow_tls12);
  if (!made) {
    return {Outcome::kFailed, "cannot use TLS certificate " + files_.certificate + " with key " +
                                  files_.private_key + ": " + made.error().message};
  }
  certificate_ = std::move(pair.certificate.text);
  private_key_ = std::move(pair.private_key.text);
  std::lock_guard lock(mutex_);
  current_ = std::move(*made);
  return {Outcome::kLoaded, {}};
}

}  // namespace tpu_admission::net
