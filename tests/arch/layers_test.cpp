// The arrows between the layers, held against every #include. What a layer may use stands in its
// CMakeLists.txt; cmake/Layer.cmake writes that down to layers.txt in the build tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tpu_admission::layers_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TPU_ADMISSION_SOURCE_DIR;

struct Layer {
  std::set<std::string> uses;
  std::set<std::string> third_party;
};

// Headers of third parties, and the word by which a layer names their library (OpenSSL::SSL and
// OpenSSL::Crypto are one library to us).
const std::map<std::string, std::string> kLibraries = {
    {"boost/", "boost"},   {"openssl/", "OpenSSL"}, {"nlohmann/", "nlohmann"},
    {"fmt/", "fmt"},       {"spdlog/", "spdlog"},   {"prometheus/", "prometheus"},
    {"yaml.h", "libyaml"}, {"CLI/", "CLI11"}};

// Files that are longer than kMostLines for a reason, each with its reason.
constexpr int kMostLines = 400;
const std::map<std::string, std::string> kLongFiles = {};

std::set<std::string> Words(const std::string& list) {
  std::set<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.insert(word);
  return words;
}

// "rules uses=base,tpu third_party=boost"
std::map<std::string, Layer> Layers() {
  std::map<std::string, Layer> layers;
  std::ifstream file(TPU_ADMISSION_BINARY_DIR "/layers.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    std::string uses;
    std::string third_party;
    fields >> name >> uses >> third_party;
    layers[name] = {Words(uses.substr(uses.find('=') + 1)),
                    Words(third_party.substr(third_party.find('=') + 1))};
  }
  return layers;
}

struct Include {
  std::string path;  // of the file, from the root of the tree
  int line = 0;
  std::string layer;   // of the file
  bool shown = false;  // in include/: the layers above read it too
  std::string header;

  std::string At() const { return path + ":" + std::to_string(line) + ": "; }
};

std::vector<fs::path> Files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const std::string extension = entry.path().extension();
    if (extension == ".h" || extension == ".cpp" || extension == ".in") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The header of `#include <x>` or `#include "x"`; "" if the line is none.
std::string HeaderOf(const std::string& line) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == line.npos || line[at] != '#') return "";
  at = line.find_first_not_of(" \t", at + 1);
  if (at == line.npos || line.compare(at, 7, "include") != 0) return "";
  const std::size_t open = line.find_first_of("<\"", at);
  const std::size_t close = line.find_first_of(">\"", open + 1);
  return close == line.npos ? "" : line.substr(open + 1, close - open - 1);
}

std::vector<Include> Includes() {
  std::vector<Include> includes;
  for (const fs::path folder : {"src", "include/tpu_admission"}) {
    for (const fs::path& file : Files(folder)) {
      const fs::path path = fs::relative(file, kRoot);
      const fs::path below = fs::relative(file, kRoot / folder);
      std::ifstream text(file);
      int number = 0;
      for (std::string line; std::getline(text, line);) {
        ++number;
        const std::string header = HeaderOf(line);
        if (header.empty()) continue;
        includes.push_back({path, number, *below.begin(), *path.begin() == "include", header});
      }
    }
  }
  return includes;
}

// The layer that a header of ours belongs to; "" if it is not ours.
std::string OwnerOf(std::string_view header, const std::map<std::string, Layer>& layers) {
  constexpr std::string_view kPublic = "tpu_admission/";
  if (header.starts_with(kPublic)) header.remove_prefix(kPublic.size());
  const std::string first(header.substr(0, header.find('/')));
  return header.find('/') != header.npos && layers.contains(first) ? first : "";
}

std::string LibraryOf(const std::string& header) {
  for (const auto& [prefix, library] : kLibraries) {
    if (header.starts_with(prefix)) return library;
  }
  return "";
}

bool NamesLibrary(const Layer& layer, const std::string& library) {
  return std::any_of(layer.third_party.begin(), layer.third_party.end(),
                     [&](const std::string& name) { return name.starts_with(library); });
}

TEST(Layers, EveryFolderIsALayer) {
  const std::map<std::string, Layer> layers = Layers();
  ASSERT_GE(layers.size(), 9U) << "layers.txt of the build tree is missing or empty";
  for (const char* folder : {"src", "include/tpu_admission"}) {
    for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
      if (!entry.is_directory()) continue;
      EXPECT_TRUE(layers.contains(entry.path().filename()))
          << fs::relative(entry.path(), kRoot) << ": no tpu_admission_layer() call declares it";
    }
  }
}

// Takes away layers that use none of the rest, until nothing is left; what is left is a circle.
TEST(Layers, ArrowsMakeNoCircle) {
  std::map<std::string, Layer> layers = Layers();
  for (bool removed = true; removed;) {
    removed = false;
    for (const auto& [name, layer] : std::map(layers)) {
      const bool free =
          std::none_of(layer.uses.begin(), layer.uses.end(),
                       [&](const std::string& used) { return layers.contains(used); });
      if (free) removed = layers.erase(name) > 0;
    }
  }
  EXPECT_TRUE(layers.empty()) << layers.begin()->first << " uses itself by a detour";
}

TEST(Layers, EveryFormOfIncludeIsSeen) {
  EXPECT_EQ(HeaderOf("#include <a/b.h>"), "a/b.h");
  EXPECT_EQ(HeaderOf("  #  include \"a.h\"  // why"), "a.h");
  EXPECT_EQ(HeaderOf("// #include <a>"), "");
  EXPECT_EQ(HeaderOf("#define A <a>"), "");
  const std::map<std::string, Layer> layers = {{"k8s", {}}};
  EXPECT_EQ(OwnerOf("tpu_admission/k8s/pod.h", layers), "k8s");
  EXPECT_EQ(OwnerOf("k8s/private.h", layers), "k8s");
  EXPECT_EQ(OwnerOf("vector", layers), "");
  EXPECT_EQ(LibraryOf("boost/json.hpp"), "boost");
  EXPECT_EQ(LibraryOf("vector"), "");
}

TEST(Layers, IncludeOnlyWhatTheyUse) {
  const std::map<std::string, Layer> layers = Layers();
  const std::vector<Include> includes = Includes();
  ASSERT_GT(includes.size(), 300U);
  for (const Include& include : includes) {
    const std::string owner = OwnerOf(include.header, layers);
    if (owner.empty() || owner == include.layer || !layers.contains(include.layer)) continue;
    EXPECT_TRUE(layers.at(include.layer).uses.contains(owner))
        << include.At() << "wrong arrow: " << include.layer << " -> " << owner << " ("
        << include.header << "); src/" << include.layer << "/CMakeLists.txt does not use " << owner;
    EXPECT_TRUE(include.header.starts_with("tpu_admission/"))
        << include.At() << include.header << " is private to " << owner;
  }
}

TEST(Layers, ThirdPartyHeadersStayInTheirLayer) {
  const std::map<std::string, Layer> layers = Layers();
  for (const Include& include : Includes()) {
    const std::string library = LibraryOf(include.header);
    if (library.empty() || !layers.contains(include.layer)) continue;
    EXPECT_FALSE(include.shown) << include.At() << include.header
                                << " in a public header: every layer above would see " << library;
    EXPECT_TRUE(NamesLibrary(layers.at(include.layer), library))
        << include.At() << include.header << ": THIRD_PARTY of src/" << include.layer
        << "/CMakeLists.txt does not name " << library;
  }
}

// What strangers send is parsed by src/k8s/json_parser.cpp; nlohmann's parser has no bound on
// depth.
TEST(Layers, NothingThatStrangersSendMeetsAnotherJsonParser) {
  for (const Include& include : Includes()) {
    EXPECT_FALSE(include.header.starts_with("boost/json")) << include.At();
    if (!include.header.starts_with("nlohmann/")) continue;
    EXPECT_NE(include.layer, "k8s") << include.At();
    EXPECT_NE(include.layer, "admission") << include.At();
    EXPECT_NE(include.layer, "net") << include.At();
  }
}

TEST(Layers, CertificatesAreReadInPkiAlone) {
  for (const Include& include : Includes()) {
    if (include.header != "openssl/pem.h" && include.header != "openssl/x509.h") continue;
    EXPECT_EQ(include.layer, "pki") << include.At() << include.header;
  }
}

// What a mutex guards is written into the types; std::mutex says nothing of it.
TEST(Layers, LocksAreThoseThatClangChecks) {
  for (const Include& include : Includes()) {
    EXPECT_NE(include.header, "shared_mutex") << include.At();
    if (include.header != "mutex") continue;
    EXPECT_TRUE(include.path.ends_with("/thread_annotations.h")) << include.At();
  }
}

// Deciding is pure: no clock, thread, log or file below the shell.
TEST(Layers, CoreHasNoSideEffects) {
  const std::set<std::string> pure = {"k8s", "tpu", "workload", "rules", "admission"};
  const std::set<std::string> shell_headers = {"thread", "mutex",    "iostream",  "fstream",
                                               "chrono", "unistd.h", "filesystem"};
  for (const Include& include : Includes()) {
    if (!pure.contains(include.layer)) continue;
    EXPECT_FALSE(shell_headers.contains(include.header))
        << include.At() << "<" << include.header << "> in the pure layer " << include.layer;
  }
}

TEST(Files, AreShort) {
  for (const char* folder : {"src", "include"}) {
    for (const fs::path& file : Files(folder)) {
      std::ifstream text(file);
      int lines = 0;
      for (std::string line; std::getline(text, line);) ++lines;
      const std::string path = fs::relative(file, kRoot);
      if (kLongFiles.contains(path)) continue;
      EXPECT_LE(lines, kMostLines) << path << ": split it, or give the reason in kLongFiles";
    }
  }
}

TEST(Files, HeadersHaveAGuard) {
  for (const char* folder : {"src", "include"}) {
    for (const fs::path& file : Files(folder)) {
      if (file.extension() != ".h") continue;
      std::ifstream text(file);
      bool guarded = false;
      for (std::string line; std::getline(text, line);) guarded = guarded || line == "#pragma once";
      EXPECT_TRUE(guarded) << fs::relative(file, kRoot) << ": no #pragma once";
    }
  }
}

}  // namespace
}  // namespace tpu_admission::layers_test
