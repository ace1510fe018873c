#include "tpu_admission/offline/lsp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "support/lsp_client.h"
#include "tpu_admission/offline/fix.h"

namespace tpu_admission::support::lsp_test {
namespace {

using offline::LanguageServer;
using offline::MessageStream;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two hosts too few, and twice the chips of a host. Lines count from 0.
const std::string kJob = R"(apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  backoffLimit: 0
  template:
    spec:
      subdomain: train
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 4x4
      containers:
      - name: jax
        image: jax
        resources:
          requests: {google.com/tpu: 8}
          limits: {google.com/tpu: 8}
)";

std::vector<std::string> Codes(const Json& diagnostics) {
  std::vector<std::string> codes;
  for (const Json& each : diagnostics) codes.push_back(each.value("code", "-"));
  return codes;
}

const Json* Find(const Json& diagnostics, const std::string& code) {
  for (const Json& each : diagnostics) {
    if (each.value("code", "") == code) return &each;
  }
  return nullptr;
}

TEST(Lsp, TellsFaultsAtTheirValues) {
  LspClient editor;
  editor.Open(kJob);
  const Json diagnostics = editor.Diagnostics();
  const Json* hosts = Find(diagnostics, "TPU401");
  ASSERT_NE(hosts, nullptr) << diagnostics.dump();
  EXPECT_EQ((*hosts)["range"], Range(4, 15, 4, 16));
  EXPECT_EQ((*hosts)["severity"], 1);
  EXPECT_EQ((*hosts)["source"], "tpu-admission");
  const Json* chips = Find(diagnostics, "TPU301");
  ASSERT_NE(chips, nullptr);
  EXPECT_EQ((*chips)["range"], Range(16, 8, 16, 17)) << "of what has several lines, the first";
}

// "é" is one unit and two bytes, the emoji two units and four bytes.
TEST(Lsp, CountsAsTheEditorDoes) {
  const std::string wide =
      "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": "
      "\"\xC3\xA9\xF0\x9F\x98\x80\"}, \"spec\": {\"nodeSelector\": "
      "{\"cloud.google.com/gke-tpu-accelerator\": \"tpu-v9e\", "
      "\"cloud.google.com/gke-tpu-topology\": \"4xx4\"}, \"containers\": "
      "[{\"name\": \"a\", \"resources\": {\"limits\": {\"google.com/tpu\": 4}}}]}}";
  LspClient sixteen;
  LspClient eight(
      Json{{"general", {{"positionEncodings", Json::array({"utf-32", "utf-8", "utf-16"})}}}});
  for (LspClient* editor : {&sixteen, &eight}) editor->Open(wide);
  const Json a = *Find(sixteen.Diagnostics(), "TPU201");
  const Json b = *Find(eight.Diagnostics(), "TPU201");
  const int bytes = static_cast<int>(wide.find("\"4xx4\""));
  EXPECT_EQ(b["range"], Range(0, bytes, 0, bytes + 6));
  EXPECT_EQ(a["range"], Range(0, bytes - 3, 0, bytes + 3));
}

TEST(Lsp, AChangeIsMadeAndJudged) {
  LspClient editor;
  editor.Open(kJob);
  EXPECT_THAT(Codes(editor.Diagnostics()), Contains("TPU401"));
  editor.Change(Range(4, 15, 4, 16), "4");
  editor.Change(Range(5, 15, 5, 16), "4");
  editor.Change(Range(19, 37, 19, 38), "4");
  editor.Change(Range(20, 35, 20, 36), "4");
  EXPECT_THAT(editor.Diagnostics().dump(), ::testing::Not(HasSubstr("\"severity\":1")));
}

TEST(Lsp, AChangeCostsOneDocumentOfTheFile) {
  LspClient editor;
  std::string text;
  for (int i = 0; i < 50; ++i) text += "---\n# " + std::to_string(i) + "\n" + kJob;
  editor.Open(text);
  const Json faults = editor.Diagnostics();
  EXPECT_GE(faults.size(), 100U);
  const std::size_t before = editor.server().judged();
  editor.Change(Range(6, 15, 6, 16), "4");
  EXPECT_NE(editor.Diagnostics(), faults);
  EXPECT_EQ(editor.server().judged(), before + 1);
}

// A Service is a document of its own.
TEST(Lsp, AnObjectIsJudgedBesideTheOthersOfItsFile) {
  LspClient editor;
  editor.Open("---\n" + kJob + "---\n" + kJob +
              "---\nkind: ConfigMap\n---\napiVersion: v1\nkind: Service\n" +
              "metadata: {name: train}\nspec:\n  selector: {job-name: train}\n  clusterIP: None\n");
  const auto not_headless = [&] {
    return std::ranges::count(Codes(editor.Diagnostics()), "TPU416");
  };
  EXPECT_EQ(not_headless(), 0);
  const int line = 2 * 22 + 8;
  std::size_t before = editor.server().judged();
  editor.Change(Range(line, 2, line, 17), "");
  EXPECT_EQ(not_headless(), 2) << editor.Diagnostics().dump();
  EXPECT_EQ(editor.server().judged(), before + 2) << "the Service, and two jobs of one text";
  before = editor.server().judged();
  editor.Change(Range(line, 2, line, 2), "sessionAffinity: None");
  EXPECT_EQ(not_headless(), 2);
  EXPECT_EQ(editor.server().judged(), before + 1) << "nothing new for the jobs";
}

TEST(Lsp, WhatFollowsAChangeMovesWithIt) {
  LspClient editor;
  editor.Open("# first\n---\n" + kJob);
  EXPECT_EQ((*Find(editor.Diagnostics(), "TPU401"))["range"]["start"]["line"], 6);
  editor.Change(Range(0, 0, 0, 0), "# more\n# and more\n");
  EXPECT_EQ((*Find(editor.Diagnostics(), "TPU401"))["range"]["start"]["line"], 8);
}

TEST(Lsp, WhatIsBrokenIsToldAndTheRestIsJudged) {
  const std::array<std::string, 6> broken = {
      "kind: tpu\n  half: [typed\n", "{{- if .Values.tpu }}\nkind: Pod\n{{- end }}\n",
      "a: tpu\na: twice\n",          "\ttpu: tab\n",
      "a: *unknown-tpu\n",           "apiVersion: batch/v1\nkind: Job\nspec: tpu\n"};
  for (const std::string& piece : broken) {
    LspClient editor;
    editor.Open("---\n" + piece + "---\n" + kJob + "---\n" + piece);
    const Json diagnostics = editor.Diagnostics();
    EXPECT_THAT(Codes(diagnostics), Contains("TPU401")) << piece;
    EXPECT_THAT(Codes(diagnostics), Contains("TPU301")) << piece;
    EXPECT_EQ((*Find(diagnostics, "TPU401"))["range"]["start"]["line"],
              6 + std::count(piece.begin(), piece.end(), '\n'))
        << piece;
  }
}

TEST(Lsp, OfFilesWithoutTpusNothingIsSaid) {
  LspClient editor;
  for (const char* text : {"a: b: c\n---\n{{ template }}\n---\n\t\n", "site_dir: output\na: b: c\n",
                           "Outputs:\n  Name:\n    Value: !Ref B\n",
                           "{\n// where\n\"output\": 1,\n}\n", "data:\n  output: {{ .Values.x }}\n",
                           "steps:\n  - run: echo >> $GITHUB_OUTPUT\n   bad\n"}) {
    editor.Open(text);
    EXPECT_THAT(editor.Diagnostics(), IsEmpty()) << text;
  }
  editor.Open("a: b: tpu\n");
  EXPECT_THAT(editor.Diagnostics(), SizeIs(1));
}

// The file does, if not the document at fault.
TEST(Lsp, WhatIsBrokenIsToldBesideADocumentWithTpus) {
  for (const std::string& text : {kJob + "---\nkind: [\n", "a: b: c\n---\n" + kJob}) {
    LspClient editor;
    editor.Open(text);
    EXPECT_THAT(editor.Diagnostics().dump(), HasSubstr("not checked: ")) << text;
    editor.Change(Range(0, 0, 40, 0), "a: b: c\n");
    EXPECT_THAT(editor.Diagnostics(), IsEmpty());
  }
}

// Every beginning of the text, and every text with one character gone.
TEST(Lsp, TakesWhatIsHalfTyped) {
  LspClient editor;
  editor.Open("");
  for (std::size_t i = 0; i < kJob.size(); ++i) {
    editor.Notify("textDocument/didChange",
                  {{"textDocument", {{"uri", "file:///a.yaml"}, {"version", 1}}},
                   {"contentChanges", Json::array({{{"text", kJob.substr(0, i)}}})}});
    editor.Diagnostics();
    const int line =
        static_cast<int>(std::count(kJob.begin(), kJob.begin() + std::ptrdiff_t(i), '\n'));
    editor.Completions(line, 99);
    editor.Actions(Range(0, 0, 99, 0));
    std::string holed = kJob;
    holed.erase(i, 1);
    editor.Notify("textDocument/didChange",
                  {{"textDocument", {{"uri", "file:///a.yaml"}, {"version", 1}}},
                   {"contentChanges", Json::array({{{"text", holed}}})}});
    EXPECT_TRUE(editor.Diagnostics().is_array());
  }
}

TEST(Lsp, ARepairMendsTheText) {
  LspClient editor;
  const std::string text = "# stays\n" + kJob;
  editor.Open(text);
  const Json diagnostics = editor.Diagnostics();
  const Json actions = editor.Actions((*Find(diagnostics, "TPU401"))["range"]);
  ASSERT_GE(actions.size(), 1U);
  EXPECT_THAT(actions[0]["title"], HasSubstr("keep 4x4, 16 chips on 4 hosts"));
  EXPECT_EQ(actions[0]["kind"], "quickfix");
  EXPECT_EQ(actions[0]["isPreferred"], true);
  for (const Json& action : actions) {
    const std::string after = Applied(text, action["edit"]["changes"]["file:///a.yaml"]);
    EXPECT_THAT(after, HasSubstr("# stays\n"));
    LspClient other;
    other.Open(after);
    EXPECT_THAT(other.Diagnostics().dump(), ::testing::Not(HasSubstr("\"severity\":1"))) << after;
  }
}

TEST(Lsp, WhatTheWebhookWouldAddIsAQuickFixWhereItIsTold) {
  LspClient editor(Json::object(), "rules: {TPU104: warn}\n");
  const std::string text =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  nodeSelector:\n"
      "    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
      "    cloud.google.com/gke-tpu-topology: 2x2\n  containers:\n  - name: jax\n    resources:\n"
      "      requests: {cpu: 1, memory: 1Gi, google.com/tpu: 4}\n"
      "      limits: {google.com/tpu: 4}\n";
  editor.Open(text);
  const Json diagnostics = editor.Diagnostics();
  const Json* finding = Find(diagnostics, "TPU104");
  ASSERT_NE(finding, nullptr) << diagnostics.dump();
  const Json actions = editor.Actions((*finding)["range"]);
  ASSERT_THAT(actions, SizeIs(1));
  EXPECT_EQ(actions[0]["title"], "add what the webhook would (TPU104 toleration-missing)");
  editor.Open(Applied(text, actions[0]["edit"]["changes"]["file:///a.yaml"]));
  EXPECT_THAT(editor.Diagnostics(), IsEmpty());
}

TEST(Lsp, ARepairNamesTheVersionWhereTheEditorTakesIt) {
  LspClient editor(Json{{"workspace", {{"workspaceEdit", {{"documentChanges", true}}}}}});
  editor.Open(kJob);
  EXPECT_TRUE(editor.Actions(Range(3, 0, 3, 5)).empty());
  const Json actions = editor.Actions(Range(4, 0, 4, 0));  // on the line is near enough
  ASSERT_FALSE(actions.empty());
  EXPECT_EQ(actions[0]["edit"]["documentChanges"][0]["textDocument"]["version"], 1);
}

TEST(Lsp, AllIsRepairedAtOnceWhereThatIsAsked) {
  LspClient editor;
  const std::string text = kJob + "---\n" + kJob + "---\n{{ tpu }}\n";
  editor.Open(text);
  const Json answer = editor.Request(
      "textDocument/codeAction",
      {{"textDocument", {{"uri", "file:///a.yaml"}}},
       {"range", Range(0, 0, 0, 0)},
       {"context", {{"diagnostics", Json::array()}, {"only", Json::array({"source.fixAll"})}}}});
  ASSERT_THAT(answer["result"], SizeIs(1));
  LspClient other;
  other.Open(Applied(text, answer["result"][0]["edit"]["changes"]["file:///a.yaml"]));
  EXPECT_THAT(other.Diagnostics().dump(), ::testing::Not(HasSubstr("\"severity\":1")));
}

// The claim of the file is for one node, so that a slice of several is no repair.
TEST(Lsp, AllIsRepairedByWhatStandsBesideIt) {
  const std::string claim =
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: d}\nspec:\n"
      "  accessModes: [ReadWriteOnce]\n  storageClassName: standard-rwo\n"
      "  resources: {requests: {storage: 1Gi}}\n---\n";
  std::string job = kJob;
  const auto replace = [&](const std::string& what, const std::string& with) {
    for (std::size_t at = job.find(what); at != job.npos; at = job.find(what, at + with.size())) {
      job.replace(at, what.size(), with);
    }
  };
  replace("parallelism: 2", "parallelism: 1");
  replace("completions: 2", "completions: 1");
  replace("google.com/tpu: 8", "google.com/tpu: 3");
  replace("      containers:",
          "      volumes: [{name: v, persistentVolumeClaim: {claimName: d}}]\n"
          "      containers:");
  const std::string text = claim + job;
  LspClient editor;
  editor.Open(text);
  const Json all = editor.Request(
      "textDocument/codeAction",
      {{"textDocument", {{"uri", "file:///a.yaml"}}},
       {"range", Range(0, 0, 99, 0)},
       {"context", {{"diagnostics", Json::array()}, {"only", Json::array({"source.fixAll"})}}}});
  ASSERT_THAT(all["result"], SizeIs(1));
  const std::string fixed = Applied(text, all["result"][0]["edit"]["changes"]["file:///a.yaml"]);
  EXPECT_EQ(fixed, offline::FixText(*SharedSettings(), {}, 'a', text).text);
  EXPECT_NE(fixed, claim + offline::FixText(*SharedSettings(), {}, 'a', job).text)
      << "the claim tells something";
}

// As a project file has it, that may change.
TEST(Lsp, ADocumentIsJudgedByItsOwnTerms) {
  const auto without = [](const std::string& rule) {
    return std::make_shared<const offline::Terms>(
        offline::Terms{SharedSettings(),
                       {.namespace_name = "",
                        .today = Day{},
                        .rules = offline::RuleChoice::Parse({}, {rule}).value()}});
  };
  offline::TermsOfDocument of_b = {.terms = without("TPU401"), .word = "a word"};
  LspClient editor(Json::object(), "", [&](const std::string& uri) {
    return uri == "file:///b.yaml" ? of_b : offline::TermsOfDocument{};
  });
  const auto codes = [&](const std::string& uri) { return Codes(editor.Diagnostics(uri)); };
  const auto save = [&] {
    editor.Notify("textDocument/didSave", {{"textDocument", {{"uri", "file:///c.yaml"}}}});
  };
  editor.Open(kJob);
  editor.Open(kJob, "file:///b.yaml");
  ASSERT_THAT(editor.messages, SizeIs(1));
  EXPECT_EQ(editor.messages[0]["params"]["message"], "tpu-admission: a word");
  EXPECT_THAT(codes("file:///a.yaml"), Contains("TPU401"));
  EXPECT_THAT(codes("file:///b.yaml"), ::testing::Not(Contains("TPU401")));
  EXPECT_THAT(codes("file:///b.yaml"), Contains("TPU301"));
  const std::size_t before = editor.server().judged();
  save();
  EXPECT_THAT(codes("file:///b.yaml"), Contains("TPU301"));
  EXPECT_EQ(editor.server().judged(), before) << "the terms are the same";
  of_b.terms = without("TPU301");
  save();
  EXPECT_THAT(codes("file:///b.yaml"), Contains("TPU401"));
  EXPECT_THAT(codes("file:///b.yaml"), ::testing::Not(Contains("TPU301")));
  of_b.is_left_out = true;
  save();
  EXPECT_THAT(codes("file:///b.yaml"), IsEmpty());
  EXPECT_THAT(editor.Actions(Range(0, 0, 30, 0), "file:///b.yaml"), IsEmpty());
}

TEST(Lsp, HoverExplains) {
  LspClient editor(
      Json{{"textDocument", {{"hover", {{"contentFormat", Json::array({"markdown"})}}}}}});
  editor.Open(kJob);
  const auto hover = [&](int line, int character) {
    return editor.Request("textDocument/hover",
                          {{"textDocument", {{"uri", "file:///a.yaml"}}},
                           {"position", {{"line", line}, {"character", character}}}})["result"];
  };
  EXPECT_THAT(hover(4, 15)["contents"]["value"], HasSubstr("TPU401 hosts"));
  EXPECT_EQ(hover(4, 15)["range"], Range(4, 15, 4, 16));
  EXPECT_THAT(hover(14, 45)["contents"]["value"], HasSubstr("4 hosts of `ct6e-standard-4t`"));
  EXPECT_THAT(hover(13, 50)["contents"]["value"], HasSubstr("2x4"));
  EXPECT_TRUE(hover(1, 3).is_null());
  EXPECT_TRUE(hover(999, 3).is_null());
}

TEST(Lsp, AHoverWithoutMarkdownHasNoMarksOfIt) {
  LspClient editor;
  editor.Open(kJob);
  const auto hover = [&](int line, int character) -> std::string {
    const Json contents = editor.Request(
        "textDocument/hover",
        {{"textDocument", {{"uri", "file:///a.yaml"}}},
         {"position", {{"line", line}, {"character", character}}}})["result"]["contents"];
    EXPECT_EQ(contents["kind"], "plaintext");
    return contents["value"];
  };
  EXPECT_THAT(hover(14, 45), HasSubstr("4 hosts of ct6e-standard-4t, google.com/tpu: 4 each\n"));
  const std::string fault = hover(4, 15);
  EXPECT_THAT(fault, HasSubstr("\nWhy\n"));
  EXPECT_THAT(fault, HasSubstr("\napiVersion: batch/v1\n"));
  EXPECT_EQ(fault.find("**"), std::string::npos);
  EXPECT_EQ(fault.find('`'), std::string::npos);
}

TEST(Lsp, CompletesFromAcceleratorToHosts) {
  LspClient editor;
  editor.Open(
      "spec:\n  parallelism: \n  nodeSelector:\n"
      "    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
      "    cloud.google.com/gke-tpu-topology: 4x4\n"
      "  limits:\n    google.com/tpu:\n    clou\n");
  EXPECT_THAT(editor.Completions(1, 15), ElementsAre("4"));
  EXPECT_THAT(editor.Completions(3, 47), Contains("tpu-v5-lite-podslice"));
  EXPECT_THAT(editor.Completions(4, 42), ::testing::IsSupersetOf({"2x2", "4x4", "16x16"}));
  EXPECT_THAT(editor.Completions(6, 19), ElementsAre("4"));
  EXPECT_THAT(editor.Completions(7, 8), Contains("cloud.google.com/gke-tpu-topology"));
  EXPECT_THAT(editor.Completions(0, 5), IsEmpty());
  EXPECT_THAT(editor.Completions(99, 0), IsEmpty());
}

TEST(Lsp, AWordThatIsCompletedIsReplaced) {
  LspClient editor;
  editor.Open("cloud.google.com/gke-tpu-accelerator: tpu-v6\ngoogle.com/tpu:");
  const Json items = editor.Request("textDocument/completion",
                                    {{"textDocument", {{"uri", "file:///a.yaml"}}},
                                     {"position", {{"line", 0}, {"character", 44}}}})["result"];
  ASSERT_FALSE(items.empty());
  EXPECT_EQ(items[0]["textEdit"]["range"], Range(0, 38, 0, 44));
}

// What the protocol says about messages out of order, unknown or at fault.
TEST(Lsp, AnswersByTheProtocol) {
  LanguageServer fresh(SharedSettings(), {.namespace_name = "", .today = Day{}, .rules = {}});
  k8s::JsonParser parser;
  const auto code = [&](const std::string& body) {
    const auto answers = fresh.Handle(parser.Parse(body).value());
    return answers.empty() ? Json() : Json::parse(answers[0])["error"]["code"];
  };
  EXPECT_EQ(code(R"({"id":1,"method":"textDocument/hover"})"), -32002);
  EXPECT_TRUE(code(R"({"method":"textDocument/didOpen","params":{}})").is_null());
  EXPECT_TRUE(code(R"({"id":"a","method":"initialize","params":{}})").is_null());
  EXPECT_EQ(code(R"({"id":1,"method":"initialize","params":{}})"), -32600);
  EXPECT_EQ(code(R"({"id":1,"method":"no/such"})"), -32601);
  EXPECT_EQ(code(R"({"id":1,"method":"textDocument/hover","params":[]})"), -32602);
  EXPECT_EQ(code(R"({"id":1,"method":"textDocument/hover",
      "params":{"textDocument":{"uri":"x"},"position":{"line":-1,"character":0}}})"),
            -32602);
  EXPECT_EQ(code(R"({"id":{},"method":"x"})"), -32600);
  EXPECT_EQ(code(R"([])"), -32600);
  EXPECT_EQ(code(R"(5)"), -32600);
  EXPECT_TRUE(code(R"({"id":1,"result":null})").is_null());
  EXPECT_TRUE(code(R"({"method":"$/unknown"})").is_null());
  EXPECT_EQ(fresh.exit_code(), 1);
  EXPECT_TRUE(code(R"({"id":9,"method":"shutdown"})").is_null());
  EXPECT_EQ(code(R"({"id":1,"method":"textDocument/hover"})"), -32600);
  EXPECT_TRUE(code(R"({"method":"exit"})").is_null());
  EXPECT_TRUE(fresh.ended());
  EXPECT_EQ(fresh.exit_code(), 0);
}

TEST(Lsp, StrangeParametersChangeNothing) {
  LspClient editor;
  editor.Open(kJob);
  const Json before = editor.Diagnostics();
  const std::array<Json, 8> strange = {
      Json(nullptr),
      Json::array(),
      Json{{"textDocument", 5}},
      Json{{"textDocument", {{"uri", 5}}}},
      Json{{"textDocument", {{"uri", "file:///other"}}}, {"contentChanges", 5}},
      Json{{"textDocument", {{"uri", "file:///a.yaml"}}}, {"contentChanges", Json::array({5})}},
      Json{{"textDocument", {{"uri", "file:///a.yaml"}}},
           {"contentChanges", Json::array({{{"text", 5}}})}},
      Json{{"textDocument", {{"uri", "file:///a.yaml"}}},
           {"contentChanges", Json::array({{{"text", "x"}, {"range", {{"start", 1}}}}})}}};
  for (const Json& params : strange) {
    for (const char* method : {"textDocument/didOpen", "textDocument/didChange"}) {
      editor.Notify(method, params);
    }
    editor.Request("textDocument/codeAction", params);
    editor.Request("textDocument/completion", params);
    EXPECT_EQ(editor.Diagnostics(), before) << params.dump();
  }
  editor.Notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///a.yaml"}}}});
  EXPECT_THAT(editor.Diagnostics(), IsEmpty());
}

TEST(Lsp, ARangeThatRunsBackwardsIsTurned) {
  LspClient editor;
  editor.Open("abc\n");
  editor.Change(Range(0, 3, 0, 0), kJob);
  EXPECT_THAT(Codes(editor.Diagnostics()), Contains("TPU401"));
}

TEST(Lsp, SoMuchIsToldAndNoMore) {
  LspClient editor;
  std::string text;
  for (int i = 0; i < 700; ++i) text += "---\n" + kJob;
  editor.Open(text);
  const Json diagnostics = editor.Diagnostics();
  EXPECT_THAT(diagnostics, SizeIs(LanguageServer::kMaxDiagnostics + 1));
  EXPECT_THAT(diagnostics.back()["message"], HasSubstr("more findings"));
}

TEST(Lsp, TooMuchTextIsRefusedInWords) {
  LspClient editor;
  editor.Open(std::string(LanguageServer::kMaxTextBytes + 1, '#'));
  ASSERT_THAT(editor.messages, SizeIs(1));
  EXPECT_THAT(editor.messages[0]["params"]["message"], HasSubstr("larger than 16 MiB"));
  EXPECT_THAT(editor.Diagnostics(), IsEmpty());
}

// An editor that sends whole texts; and one of ranges, of which nobody knows what they change.
TEST(Lsp, WhatWasTooLargeIsJudgedWhenItIsSentWholeAndSmaller) {
  const std::string large(LanguageServer::kMaxTextBytes + 1, '#');
  LspClient editor;
  const auto send = [&](const std::string& text) {
    editor.Notify("textDocument/didChange",
                  {{"textDocument", {{"uri", "file:///a.yaml"}, {"version", 9}}},
                   {"contentChanges", Json::array({{{"text", text}}})}});
  };
  editor.Open(large);
  editor.Change(Range(4, 15, 4, 16), "4");
  EXPECT_THAT(editor.Diagnostics(), IsEmpty());
  EXPECT_THAT(editor.Actions(Range(0, 0, 30, 0)), IsEmpty());
  send(large + "#");
  EXPECT_THAT(editor.messages, SizeIs(1)) << "it is told once";
  send(kJob);
  EXPECT_THAT(Codes(editor.Diagnostics()), Contains("TPU401"));
  editor.Change(Range(4, 15, 4, 16), "4");
  EXPECT_THAT(Codes(editor.Diagnostics()), Contains("TPU301"));
  send(large);
  EXPECT_THAT(editor.Diagnostics(), IsEmpty());
  EXPECT_THAT(editor.messages, SizeIs(2)) << "and again";
  editor.Notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///a.yaml"}}}});
  send(kJob);
  EXPECT_THAT(editor.Diagnostics(), IsEmpty()) << "it is closed";
}

TEST(Lsp, TooManyFilesAreRefusedInWords) {
  LspClient editor;
  for (std::size_t i = 0; i <= LanguageServer::kMaxOpenDocuments; ++i) {
    editor.Open("a: 1\n", "file:///" + std::to_string(i));
  }
  ASSERT_THAT(editor.messages, SizeIs(1));
  EXPECT_THAT(editor.messages[0]["params"]["message"], HasSubstr("more than 1000 files"));
}

TEST(Lsp, TooMuchTextOfAllFilesIsRefusedInWords) {
  LspClient editor;
  const std::string text(LanguageServer::kMaxTextBytes, '#');
  constexpr std::size_t kFit = LanguageServer::kMaxAllTextBytes / LanguageServer::kMaxTextBytes;
  for (std::size_t i = 0; i <= kFit; ++i) {
    EXPECT_THAT(editor.messages, IsEmpty());
    editor.Open(text, "file:///" + std::to_string(i));
  }
  ASSERT_THAT(editor.messages, SizeIs(1));
  EXPECT_THAT(editor.messages[0]["params"]["message"], HasSubstr("larger than 128 MiB"));
}

TEST(Lsp, NothingIsSaidOfWhatMayHaveChangedUnseen) {
  LspClient editor;
  editor.Miss();
  EXPECT_THAT(editor.messages, SizeIs(1)) << "it may have been a file";
  editor.messages.clear();
  editor.Open(kJob);
  editor.Open(kJob, "file:///b.yaml");
  EXPECT_THAT(editor.Diagnostics(), ::testing::Not(IsEmpty()));
  editor.Miss();
  editor.Miss();
  ASSERT_THAT(editor.messages, SizeIs(1)) << "once";
  EXPECT_EQ(editor.messages[0]["params"]["message"],
            "tpu-admission: a message is lost: it is no JSON; close open files and open them "
            "again");
  for (const char* uri : {"file:///a.yaml", "file:///b.yaml"}) {
    editor.Change(Range(4, 15, 4, 16), "4", uri);
    EXPECT_THAT(editor.Diagnostics(uri), IsEmpty());
    EXPECT_THAT(editor.Actions(Range(0, 0, 30, 0), uri), IsEmpty());
  }
  editor.Notify("textDocument/didChange",
                {{"textDocument", {{"uri", "file:///a.yaml"}, {"version", 9}}},
                 {"contentChanges", Json::array({{{"text", kJob}}})}});
  EXPECT_THAT(Codes(editor.Diagnostics()), Contains("TPU401")) << "the whole text";
  editor.Notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///b.yaml"}}}});
  editor.Open(kJob, "file:///b.yaml");
  EXPECT_THAT(Codes(editor.Diagnostics("file:///b.yaml")), Contains("TPU401"));
  editor.Miss();
  EXPECT_THAT(editor.messages, SizeIs(2));
}

// ---- the stream of bytes

using Kind = MessageStream::Item::Kind;

TEST(MessageStream, TakesMessagesInAnyPortions) {
  const std::string bytes =
      "Content-Type: x\r\ncontent-length: 2\r\n\r\n{}" + MessageStream::Framed("[1]");
  for (std::size_t portion = 1; portion <= bytes.size(); ++portion) {
    MessageStream stream;
    std::vector<std::string> bodies;
    for (std::size_t at = 0; at < bytes.size(); at += portion) {
      stream.Add(std::string_view(bytes).substr(at, portion));
      for (auto item = stream.Next(); item.kind == Kind::kMessage; item = stream.Next()) {
        bodies.emplace_back(item.body);
      }
    }
    EXPECT_THAT(bodies, ElementsAre("{}", "[1]")) << portion;
  }
}

TEST(MessageStream, RefusesWhatIsNoHeader) {
  const std::array<std::string, 8> bad = {"\r\n\r\n",
                                          "Content-Length: -1\r\n\r\n",
                                          "Content-Length: 5x\r\n\r\n",
                                          "Content\rLength: 2\r\n\r\n",
                                          "Content-Length: 99999999999999999999999\r\n\r\n",
                                          "hello\r\n\r\n",
                                          "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
                                          std::string(MessageStream::kMaxHeaderBytes, 'x')};
  for (const std::string& bytes : bad) {
    MessageStream stream;
    stream.Add(bytes);
    EXPECT_EQ(stream.Next().kind, Kind::kMalformed) << bytes;
    stream.Add(MessageStream::Framed("{}"));
    EXPECT_EQ(stream.Next().kind, Kind::kNone);
  }
}

TEST(MessageStream, PassesOverABodyThatIsTooLarge) {
  constexpr std::size_t kLarge = MessageStream::kMaxBodyBytes + 10;
  MessageStream stream;
  stream.Add("Content-Length: " + std::to_string(kLarge) + "\r\n\r\nab");
  EXPECT_EQ(stream.Next().kind, Kind::kTooLarge);
  stream.Add(std::string(kLarge - 2, 'x') + MessageStream::Framed("{}"));
  const auto item = stream.Next();
  EXPECT_EQ(item.kind, Kind::kMessage);
  EXPECT_EQ(item.body, "{}");
}

}  // namespace
}  // namespace tpu_admission::support::lsp_test
