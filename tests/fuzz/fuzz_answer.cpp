// Any bytes as what an API server answers: its status, its date and its objects, as the controller
// reads them. Nothing that it says makes the controller write elsewhere than to the four objects,
// or throw.
#include <optional>
#include <string>
#include <utility>

#include "controller/configuration.h"
#include "controller/secret.h"
#include "fuzz/require.h"
#include "kube/answer.h"
#include "support/fake_clock.h"
#include "tpu_admission/controller/elector.h"

namespace {

using namespace tpu_admission;

// Says the same to every question.
class OneAnswer final : public kube::Api {
 public:
  explicit OneAnswer(kube::Answer answer) : answer_(std::move(answer)) {}
  kube::Answer Get(const kube::ObjectPath&) override { return answer_; }
  kube::Answer Patch(const kube::ObjectPath& path, kube::PatchKind,
                     const std::string& patch) override {
    REQUIRE(path == kPath && !patch.empty());
    return answer_;
  }
  const kube::ObjectPath kPath = kube::LeasePath("ns", "lease");

 private:
  const kube::Answer answer_;
};

class Deaf final : public controller::Observer {
 public:
  void OnLeadership(bool) override {}
  void OnError(controller::Operation, const std::string&) override {}
  void OnIssued(controller::CertificateKind, const std::string&) override {}
  void OnExpiry(controller::CertificateKind, std::optional<Clock::Wall>) override {}
  void OnConfiguration(controller::ConfigurationKind, controller::ConfigurationState,
                       const std::string&) override {}
  void OnNote(const std::string&) override {}
  void OnSynced() override {}
};

void Elect(OneAnswer& api) {
  const support::FakeClock clock;
  Deaf observer;
  controller::Elector elector(api, api.kPath, "me", {}, clock, observer);
  elector.Step();
  elector.Step();
  elector.Release();
  REQUIRE(!elector.leading());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr unsigned kStatus[] = {200, 201, 404, 409, 403, 429, 500, 0};
  std::string_view bytes = fuzz::Text(data, size);
  const unsigned status = kStatus[fuzz::TakeByte(bytes) % std::size(kStatus)];
  const std::string_view date = bytes.substr(0, bytes.find('\n'));
  bytes.remove_prefix(std::min(bytes.size(), date.size() + 1));
  const kube::Answer answer = kube::AnswerOf("GET /x", status, std::string(bytes), date);
  REQUIRE(answer.ok() == answer.error.empty());
  REQUIRE(answer.error.size() < 2000 && answer.error.find('\n') == std::string::npos);
  REQUIRE(answer.ok() || answer.body.empty());

  const controller::Secret secret = controller::ReadSecret(answer.body);
  REQUIRE(!controller::SecretPatch(secret, {{"tls.crt", "x"}, {"tls.key", ""}}).empty());
  OneAnswer api(answer);
  (void)controller::Publish(
      api, api.kPath,
      {.service_namespace = "ns", .service_name = "tpu-admission", .text = "PEM", .next = ""},
      [] { return true; });
  Elect(api);
  return 0;
}
