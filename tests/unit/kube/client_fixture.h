// A client of a scripted server, with token and CA in files.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "support/certificate.h"
#include "support/scripted_server.h"
#include "support/temp_dir.h"
#include "tpu_admission/kube/client.h"

namespace tpu_admission::kube {

class ClientFixture : public ::testing::Test {
 protected:
  ClientFixture() {
    support::WriteText(Token(), "secret-token\n");
    support::WriteText(Ca(), pair_.certificate);
  }

  std::string Token() const { return files_ / "token"; }
  std::string Ca() const { return files_ / "ca.crt"; }

  ClientOptions Options(const std::string& server) const {
    ClientOptions options;
    options.server = server;
    options.token_file = Token();
    options.ca_file = Ca();
    options.deadline = std::chrono::milliseconds(5'000);
    options.attempt_deadline = std::chrono::milliseconds(2'000);
    options.first_backoff = std::chrono::milliseconds(2);
    return options;
  }

  static std::unique_ptr<Client> ClientOf(const ClientOptions& options) {
    auto client = Client::Make(options);
    if (!client) ADD_FAILURE() << client.error().message;
    return client ? std::move(*client) : nullptr;
  }

  const pki::KeyPair pair_ = support::MakeCertificate();  // localhost and 127.0.0.1
  const ObjectPath secret_ = SecretPath("ns", "tls");
  const std::string object_ =
      R"({"kind": "Secret", "metadata": {"name": "tls", "resourceVersion": "7"}})";
  support::TempDir files_;
};

}  // namespace tpu_admission::kube
