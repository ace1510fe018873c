// `tpu-admission verify` in front of an API server that answers as a script says.
#include <gmock/gmock.h>

#include "integration/app/program.h"
#include "support/certificate.h"
#include "support/scripted_server.h"

namespace tpu_admission::support::verify_test {
namespace {

using ::testing::HasSubstr;

const std::string kMutate = "Warning: 299 - \"mutate.tpu-admission.io answers\"\r\n";
const std::string kValidate = "Warning: 299 - \"validate.tpu-admission.io answers\"\r\n";
const std::string kPod = R"({"kind": "Pod"})";
const std::string kNamespace =
    R"({"kind": "Namespace", "metadata": {"name": "lab", "resourceVersion": "1", "labels": )"
    R"({"team": "ml"}}})";
const std::string kWarning = "Warning: 299 - \"TPU301 chips-per-host: 3 chips\"\r\n";

class VerifyTest : public ::testing::Test {
 protected:
  VerifyTest() {
    WriteText(files_ / "token", "a-token");
    WriteText(files_ / "ca.crt", pair_.certificate);
  }

  Ended Run(const Script& script, const std::vector<std::string>& more = {}) {
    ScriptedServer server(pair_, script);
    std::vector<std::string> arguments = {
        "verify",      "--api-server", server.url(), "--service-account-dir",
        files_.path(), "--timeout",    "100ms"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunToEnd(arguments);
  }

  const pki::KeyPair pair_ = MakeCertificate();
  TempDir files_;
};

bool AsksForThree(const ScriptedRequest& request) {
  return request.body.find(R"("google.com/tpu":"3")") != std::string::npos;
}

TEST_F(VerifyTest, PassesInAuditMode) {
  const Ended ended =
      Run([](const ScriptedRequest&) { return HttpStatus(201, kPod, kMutate + kValidate); });
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out,
            "ok    mutate.tpu-admission.io answers\n"
            "ok    validate.tpu-admission.io answers\n"
            "ok    a Pod that asks for 3 of the 4 chips of its host: let in, and nothing is said\n"
            "ok    the same Pod with 4 chips: let in, and nothing is said\n");
}

TEST_F(VerifyTest, FailsWhereTheApiServerDoesNotAsk) {
  const Ended silent = Run([](const ScriptedRequest&) { return HttpStatus(201, kPod); });
  EXPECT_EQ(silent.exit_code, 1);
  EXPECT_THAT(silent.out, HasSubstr("FAIL  mutate.tpu-admission.io does not answer"));
  const Ended half = Run([](const ScriptedRequest&) { return HttpStatus(201, kPod, kMutate); });
  EXPECT_EQ(half.exit_code, 1);
  EXPECT_THAT(half.out, HasSubstr("FAIL  validate.tpu-admission.io does not answer"));
  const Ended forbidden = Run([](const ScriptedRequest&) {
    return HttpStatus(403, R"({"kind": "Status", "message": "pods is forbidden"})");
  });
  EXPECT_EQ(forbidden.exit_code, 1);
  EXPECT_THAT(forbidden.out, HasSubstr("pods is forbidden"));
}

// The webhook is not to blame for what a proxy says.
TEST_F(VerifyTest, SaysThatWhatAnswersIsNoApiServer) {
  const std::string bodies[] = {"{}",
                                "",
                                "<html>",
                                "\x1f\x8b",
                                "[]",
                                "null",
                                R"({"kind": 7})",
                                R"({"kind": "Status"})",
                                std::string(1 << 20, '[')};
  for (const std::string& body : bodies) {
    const Ended ended =
        Run([&](const ScriptedRequest&) { return HttpStatus(200, body, kMutate + kValidate); });
    EXPECT_EQ(ended.exit_code, 1) << body.substr(0, 20);
    EXPECT_THAT(ended.out, HasSubstr("FAIL  what answers is no API server"));
  }
  const Ended later = Run([](const ScriptedRequest& request) {
    return HttpStatus(201, AsksForThree(request) ? kPod : "{}", kMutate + kValidate);
  });
  EXPECT_EQ(later.exit_code, 1);
  EXPECT_THAT(later.out, HasSubstr("FAIL  what answers is no API server"));
}

// Of its own a call that fails goes on for ten seconds.
TEST_F(VerifyTest, EndsWithItsTimeout) {
  for (const char* answer : {"", "500"}) {
    const auto start = std::chrono::steady_clock::now();
    const Ended ended =
        Run([&](const ScriptedRequest&) { return *answer == 0 ? "" : HttpStatus(500, "{}"); },
            {"--namespace-selector={}"});
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(3'500));
  }
}

// Where nobody can be asked, the webhook is not to blame.
TEST_F(VerifyTest, TestsNothingWithoutAnApiServer) {
  const Ended ended = RunToEnd({"verify", "--api-server", "https://127.0.0.1:1", "--timeout",
                                "100ms", "--service-account-dir", files_.path()});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr("nothing was tested"));
}

// A warning that others make is no sign of us.
TEST_F(VerifyTest, IsNotTakenInByOthers) {
  const Ended ended = Run([](const ScriptedRequest&) { return HttpStatus(201, kPod, kWarning); });
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("does not answer"));
}

TEST_F(VerifyTest, AsksOnlyForWhatIsInstalled) {
  const Ended ended = Run([](const ScriptedRequest&) { return HttpStatus(201, kPod, kMutate); },
                          {"--validating=false"});
  EXPECT_EQ(ended.exit_code, 0) << ended.out;
  EXPECT_EQ(ended.out, "ok    mutate.tpu-admission.io answers\n");
  const Ended nothing =
      Run([](const ScriptedRequest&) { return HttpStatus(201, kPod, kMutate + kValidate); },
          {"--validating=false", "--mutating=false"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("nothing was tested: both webhooks are turned off"));
}

TEST_F(VerifyTest, HoldsThePolicyToWhatIsExpected) {
  const Script warns = [](const ScriptedRequest& request) {
    return HttpStatus(201, kPod, kMutate + kValidate + (AsksForThree(request) ? kWarning : ""));
  };
  EXPECT_EQ(Run(warns, {"--expect=warning"}).exit_code, 0);
  const Ended ended = Run(warns, {"--expect=denial"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("FAIL  a denial was expected"));
}

TEST_F(VerifyTest, FailsIfTheSoundPodIsBlamedToo) {
  const Ended ended = Run(
      [](const ScriptedRequest&) { return HttpStatus(201, kPod, kMutate + kValidate + kWarning); });
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("FAIL  the same Pod with 4 chips: let in, with our warning"));
}

// A quota, or somebody else's webhook, is none of our faults.
TEST_F(VerifyTest, PassesWhereOthersRefuseThePods) {
  const Ended ended = Run([](const ScriptedRequest&) {
    return HttpStatus(403, R"({"kind": "Status", "message": "exceeded quota"})",
                      kMutate + kValidate);
  });
  EXPECT_EQ(ended.exit_code, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("refused for another reason"));
  EXPECT_THAT(ended.out, HasSubstr("exceeded quota"));
}

TEST_F(VerifyTest, SaysThatTheNamespaceIsLeftAlone) {
  const Script script = [](const ScriptedRequest& request) {
    if (request.head.starts_with("GET /api/v1/namespaces/lab ")) {
      return HttpOk(kNamespace);
    }
    return HttpStatus(201, kPod, kMutate + kValidate);
  };
  const std::string flag = "--namespace-selector=";
  const Ended alone = Run(script, {"--namespace=lab", flag + R"({"matchLabels":{"tpus":"yes"}})"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err,
              HasSubstr("nothing was tested: the webhooks leave the namespace lab alone"));
  const Ended asked = Run(script, {"--namespace=lab", flag + R"({"matchLabels":{"team":"ml"}})"});
  EXPECT_EQ(asked.exit_code, 0) << asked.out << asked.err;
  for (const char* body :
       {R"({"metadata": []})", R"({"metadata": {"labels": 7}})", "[]", "<html>"}) {
    const Ended odd = Run(
        [&](const ScriptedRequest& request) {
          return request.head.starts_with("GET ") ? HttpOk(body) : HttpStatus(201, kPod);
        },
        {flag + R"({"matchLabels":{"team":"ml"}})"});
    EXPECT_EQ(odd.exit_code, 2) << body;
    EXPECT_THAT(odd.err, HasSubstr("what answers is no API server: it gives no Namespace")) << body;
  }
  const Ended absent =
      Run([](const ScriptedRequest&) { return HttpStatus(404, "{}"); }, {flag + "{}"});
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.err, HasSubstr("the namespace default does not exist"));
  const Ended misspelt =
      Run([](const ScriptedRequest&) { return HttpStatus(404, "{}"); }, {"--namespace=nope"});
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("nothing was tested: the namespace nope does not exist"));
}

}  // namespace
}  // namespace tpu_admission::support::verify_test
