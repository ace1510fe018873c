// A controller's observer that remembers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tpu_admission/controller/observer.h"

namespace tpu_admission::controller {

class Recorder final : public Observer {
 public:
  void OnLeadership(bool leading) override { leadership.push_back(leading); }
  void OnError(Operation operation, const std::string& what) override {
    ++errors[operation];
    last_error = what;
  }
  void OnIssued(CertificateKind kind, const std::string& why) override {
    ++issued[kind];
    last_issued = why;
  }
  void OnExpiry(CertificateKind kind, std::optional<Clock::Wall> not_after) override {
    expiry[kind] = not_after;
  }
  void OnConfiguration(ConfigurationKind kind, ConfigurationState state,
                       const std::string& why) override {
    states[kind] = state;
    reasons[kind] = why;
  }
  void OnNote(const std::string& what) override { notes.push_back(what); }
  void OnSynced() override { ++synced; }

  std::vector<bool> leadership;
  std::map<Operation, int> errors;
  std::string last_error, last_issued;
  std::map<CertificateKind, int> issued;
  std::map<CertificateKind, std::optional<Clock::Wall>> expiry;
  std::map<ConfigurationKind, ConfigurationState> states;
  std::map<ConfigurationKind, std::string> reasons;
  std::vector<std::string> notes;
  int synced = 0;
};

}  // namespace tpu_admission::controller
