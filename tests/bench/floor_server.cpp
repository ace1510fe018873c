// The floor of the benchmark: our own transport with a handler that does nothing but answer 200
// fixed bytes. What the real server costs beyond this is the price of judging a review.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "support/self_signed.h"
#include "tpu_admission/net/server.h"

namespace {

using tpu_admission::net::HttpRequest;
using tpu_admission::net::HttpResponse;

class FixedAnswer final : public tpu_admission::net::RequestHandler {
 public:
  void Handle(const HttpRequest&, HttpResponse& response) override {
    response.body.assign(200, ' ');
    response.body.front() = '{';
    response.body.back() = '}';
  }
};

class NoObserver final : public tpu_admission::net::ServerObserver {
 public:
  void OnConnections(int) override {}
  void OnHandshake(HandshakeResult) override {}
  void OnRequestStarted() override {}
  void OnRequestFinished(unsigned) override {}
  void OnRefusal(Refusal) override {}
  void OnHandlerException(const char*) override {}
  void OnCertificateLoaded(tpu_admission::Clock::Wall, const std::string&) override {}
  void OnCertificateError(const std::string&) override {}
};

// A certificate in a directory of its own, which is removed again.
class CertificateFiles {
 public:
  CertificateFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "tpu-admission-floor-XXXXXX");
    if (mkdtemp(name.data()) == nullptr) std::abort();
    directory_ = name;
    const auto made = tpu_admission::support::MakeSelfSigned({"localhost", "127.0.0.1"});
    std::ofstream(files().certificate) << made.certificate;
    std::ofstream(files().private_key) << made.private_key;
  }
  ~CertificateFiles() { std::filesystem::remove_all(directory_); }
  CertificateFiles(const CertificateFiles&) = delete;
  CertificateFiles& operator=(const CertificateFiles&) = delete;

  tpu_admission::net::TlsFiles files() const {
    return {.certificate = directory_ / "tls.crt", .private_key = directory_ / "tls.key"};
  }

 private:
  std::filesystem::path directory_;
};

}  // namespace

// tpu-admission-floor [THREADS]: serves until SIGTERM or SIGINT.
int main(int argc, char** argv) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const CertificateFiles certificate;
  NoObserver observer;
  tpu_admission::net::ServerOptions options;
  options.bind_address = "127.0.0.1";
  options.port = 0;
  options.threads = argc > 1 ? std::atoi(argv[1]) : 1;
  options.tls = certificate.files();
  tpu_admission::net::Server server(
      options, [] { return std::make_unique<FixedAnswer>(); }, observer);
  if (const tpu_admission::Status started = server.Start(); !started) {
    std::fprintf(stderr, "%s\n", started.error().message.c_str());
    return 2;
  }
  std::printf("listening on 127.0.0.1:%u\n", unsigned{server.port()});
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  (void)server.FinishDrain(std::chrono::seconds(1));
  return 0;
}
