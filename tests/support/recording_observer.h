// A server's observer that remembers. Thread safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tpu_admission/net/server.h"

namespace tpu_admission::support {

class RecordingObserver : public net::ServerObserver {
 public:
  void OnConnections(int delta) override { connections += delta; }
  void OnHandshake(HandshakeResult result) override {
    ++handshakes_[static_cast<std::size_t>(result)];
  }
  void OnRequestStarted() override { ++in_flight; }
  void OnRequestFinished(unsigned status) override {
    --in_flight;
    std::lock_guard lock(mutex_);
    ++finished_[status];
  }
  void OnRefusal(Refusal refusal) override { ++refusals_[static_cast<std::size_t>(refusal)]; }
  void OnHandlerException(const char* what) override {
    std::lock_guard lock(mutex_);
    exceptions_.emplace_back(what);
  }
  void OnCertificateLoaded(Clock::Wall not_after, const std::string& subject) override {
    std::lock_guard lock(mutex_);
    not_after_ = not_after;
    subjects_.push_back(subject);
  }
  void OnCertificateError(const std::string& what) override {
    std::lock_guard lock(mutex_);
    errors_.push_back(what);
  }

  std::atomic<int> connections{0};
  std::atomic<int> in_flight{0};

  int count(HandshakeResult result) const { return handshakes_[static_cast<std::size_t>(result)]; }
  int count(Refusal refusal) const { return refusals_[static_cast<std::size_t>(refusal)]; }
  int finished(unsigned status) const {
    std::lock_guard lock(mutex_);
    const auto found = finished_.find(status);
    return found == finished_.end() ? 0 : found->second;
  }
  std::vector<std::string> exceptions() const { return Locked(exceptions_); }
  std::vector<std::string> certificate_errors() const { return Locked(errors_); }
  std::vector<std::string> certificates() const { return Locked(subjects_); }
  Clock::Wall not_after() const {
    std::lock_guard lock(mutex_);
    return not_after_;
  }

 private:
  std::vector<std::string> Locked(const std::vector<std::string>& lines) const {
    std::lock_guard lock(mutex_);
    return lines;
  }

  std::array<std::atomic<int>, 4> handshakes_{};
  std::array<std::atomic<int>, 6> refusals_{};
  mutable std::mutex mutex_;
  std::map<unsigned, int> finished_;
  std::vector<std::string> exceptions_, errors_, subjects_;
  Clock::Wall not_after_;
};

}  // namespace tpu_admission::support
