// The only file that parses JSON of strangers: one pass over the text makes the tree. Text stays
// where it is, but where it has escapes; managedFields, often the larger half of an object, is read
// over and not built. docs/performance.md says what other parsers cost.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "k8s/json_node.h"
#include "k8s/json_text.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::k8s {
namespace {

using Kind = JsonNode::Kind;

constexpr std::string_view kLeftOut = "managedFields";
constexpr const char* kTooMany = "it has too many values";
constexpr const char* kTooMuchText = "it has too much text with escapes";
constexpr const char* kNoUtf8 = "it is not UTF-8";
constexpr std::size_t kFirstNodes = 256;

// So that the place in the text stays in a register.
#define TPU_ADMISSION_INLINE [[gnu::always_inline]] inline

// Values wait on a stack until their parent ends, which then takes them into the arena side by
// side.
//
// Functions that read get the place where they begin and give the one behind. What is read ends
// with the last bracket, and no token but a bracket ends with one, so there is always a character
// to look at but behind a bracket, where Leave() sees to it. After a fault the place is kStop,
// which nothing takes for a beginning.
class TreeBuilder {
 public:
  explicit TreeBuilder(const JsonParser::Wish& wish)
      : wish_(wish), first_(new std::byte[kFirstBlock]) {}

  // Ends the life of the tree.
  void Release() {
    blocks_.clear();
    free_ = {first_.get(), kFirstBlock};
  }

  // Of a list or map without space around it, in UTF-8, which outlives the tree. nullptr: see
  // fault().
  const JsonNode* Build(std::string_view text) {
    begin_ = text.data();
    text_end_ = begin_ + text.size();
    end_ = begin_ + (text.find_last_of("]}") + 1);  // npos + 1 is 0
    SetStack(0);
    Release();
    values_ = depth_ = unescaped_bytes_ = fault_place_ = 0;
    fault_ = nullptr;
    const char* const stop = end_ == begin_ ? Cut() : Read<true>(begin_);
    if (fault_ == nullptr && stop != text_end_) Fail(stop, "something stands behind it");
    const JsonNode* const root = fault_ == nullptr ? Take(0) : nullptr;
    if (waiting_.size() > kKeptNodes) std::vector<JsonNode>().swap(waiting_);
    if (unescaped_.capacity() > kKeptBytes) std::string().swap(unescaped_);
    return root;
  }

  const JsonParser::Wish& wish() const { return wish_; }
  const char* fault() const { return fault_; }
  std::size_t fault_place() const { return fault_place_; }

 private:
  static constexpr const char* kStop = "";
  // Of reviews of usual size.
  static constexpr std::size_t kKeptNodes = 16'384;
  static constexpr std::size_t kKeptBytes = 65'536;

  // A list or map that has begun.
  struct Open {
    std::size_t first;  // of its children in waiting_
    char end;           // ']' or '}'
  };

  // The first fault counts.
  [[gnu::cold, gnu::noinline]] const char* Fail(const char* at, const char* fault) {
    if (fault_ == nullptr) {
      fault_ = fault;
      fault_place_ = std::size_t(at - begin_);
    }
    return kStop;
  }
  const char* Cut() { return Fail(text_end_, "it ends too early"); }

  TPU_ADMISSION_INLINE static const char* Skip(const char* at) {
    while (IsSpace(*at)) ++at;
    return at;
  }

  // The same where `expected` stands there nearly always.
  TPU_ADMISSION_INLINE static const char* SkipTo(char expected, const char* at) {
    return *at == expected ? at : Skip(at);
  }

  // A value with all that is in it. What is not built is held to the same grammar.
  template <bool kBuild>
  const char* Read(const char* at) {
    const std::size_t depth = depth_;
    do {
      bool wants_value = false;
      at = Begin<kBuild>(Skip(at), wants_value);
      while (!wants_value && depth_ != depth) at = GoOn<kBuild>(Skip(at), wants_value);
    } while (depth_ != depth && fault_ == nullptr);
    return at;
  }

  // A scalar, an empty collection, or another as far as a value that is to begin.
  template <bool kBuild>
  TPU_ADMISSION_INLINE const char* Begin(const char* at, bool& wants_value) {
    switch (*at) {
      case '"':
        return ReadString<kBuild>(at + 1);
      case '{':
        at = Enter(at, '}');
        return *at == '}' ? Leave<kBuild>(at) : ReadMembers<kBuild>(at, wants_value);
      case '[':
        if (kBuild && IsLeftOut()) return Push<true>(Read<false>(at), Kind::kNull);
        at = Enter(at, ']');
        wants_value = *at != ']';
        return wants_value ? at : Leave<kBuild>(at);
      case 't':
        return Push<kBuild>(ReadWord(at, "true"), Kind::kTrue);
      case 'f':
        return Push<kBuild>(ReadWord(at, "false"), Kind::kFalse);
      case 'n':
        return Push<kBuild>(ReadWord(at, "null"), Kind::kNull);
      default:
        return ReadNumber<kBuild>(at);
    }
  }

  // Behind a value in a collection: over the end of that, or as far as the next value.
  template <bool kBuild>
  TPU_ADMISSION_INLINE const char* GoOn(const char* at, bool& wants_value) {
    const char end = open_[depth_ - 1].end;
    if (*at == end) return Leave<kBuild>(at);
    wants_value = true;
    if (*at != ',') return Fail(at, "a comma or a bracket is missing");
    return end == '}' ? ReadMembers<kBuild>(Skip(at + 1), wants_value) : at + 1;
  }

  // Members of a map from a key on, as long as their values are strings, which most are; then
  // behind the last of them, or as far as the value of the first that is no string.
  template <bool kBuild>
  TPU_ADMISSION_INLINE const char* ReadMembers(const char* at, bool& wants_value) {
    wants_value = true;
    for (;;) {
      if (*at != '"') return Fail(at, "a key is missing");
      at = SkipTo(':', ReadString<kBuild>(at + 1));
      if (*at != ':') return Fail(at, "a colon is missing");
      at = SkipTo('"', at + 1);
      if (*at != '"') return at;
      at = SkipTo(',', ReadString<kBuild>(at + 1));
      if (*at != ',') break;
      at = SkipTo('"', at + 1);
    }
    wants_value = false;
    return at;
  }

  TPU_ADMISSION_INLINE const char* Enter(const char* at, char end) {
    if (depth_ == JsonParser::kMaxDepth) return Fail(at, "it is nested too deep");
    open_[depth_++] = {waiting(), end};
    return Skip(at + 1);
  }

  // Over the end of a collection.
  template <bool kBuild>
  TPU_ADMISSION_INLINE const char* Leave(const char* at) {
    const Open open = open_[--depth_];
    if (++at == end_ && depth_ != 0) return Cut();
    if (!kBuild) return at;
    const std::size_t nodes = waiting() - open.first;
    values_ += nodes;
    if (values_ >= JsonParser::kMaxValues) return Fail(at, kTooMany);
    const JsonNode* const children = Take(open.first);
    Push<true>(at, open.end == '}' ? Kind::kObject : Kind::kArray);
    top_[-1].size = static_cast<std::uint32_t>(open.end == '}' ? nodes / 2 : nodes);
    top_[-1].children = children;
    return at;
  }

  // Is this the list of managedFields?
  bool IsLeftOut() const {
    return depth_ != 0 && open_[depth_ - 1].end == '}' && top_[-1].string() == kLeftOut;
  }

  // A string from behind its first quote. The last bracket ends it if nothing else does.
  template <bool kBuild>
  TPU_ADMISSION_INLINE const char* ReadString(const char* start) {
    const char* const stop = PlainEnd(start, end_ - 1);
    if (*stop != '"') return ReadUnusual<kBuild>(start, stop);
    return PushText<kBuild>(stop + 1, {start, std::size_t(stop - start)});
  }

  // A string with more in it than plain ASCII: that ends at `at`.
  template <bool kBuild>
  [[gnu::noinline]] const char* ReadUnusual(const char* start, const char* at) {
    at = EndOfText(at);
    if (at == end_) return Cut();
    if (*at == '"') return PushText<kBuild>(at + 1, {start, std::size_t(at - start)});
    return fault_ == nullptr ? ReadEscaped<kBuild>(start, at) : kStop;
  }

  // Over text that needs no change, of any script.
  const char* EndOfText(const char* at) {
    const char* const stop = TextEnd(at, end_);
    const std::string_view text(at, std::size_t(stop - at));
    return IsUtf8(text) ? stop : Fail(at + Utf8PrefixBytes(text), kNoUtf8);
  }

  // The rest of a string whose first escape, or what must not be there, is at `at`.
  template <bool kBuild>
  const char* ReadEscaped(const char* start, const char* at) {
    unescaped_.assign(start, at);
    while (*at != '"') {
      if (unescaped_.size() > wish_.max_unescaped) return Fail(at, kTooMuchText);
      if (*at != '\\') return Fail(at, "a control character stands in a string");
      if (!TakeEscape(at, end_, unescaped_, wish_.lone_surrogates)) {
        return Fail(at, "an escape is wrong");
      }
      const char* const plain = at;
      at = EndOfText(at);
      if (fault_ != nullptr) return kStop;
      if (at == end_) return Cut();
      unescaped_.append(plain, at);
    }
    if (!kBuild) return at + 1;
    unescaped_bytes_ += unescaped_.size();
    if (unescaped_bytes_ > wish_.max_unescaped) return Fail(at, kTooMuchText);
    char* const copy = static_cast<char*>(Allocate(unescaped_.size()));
    return PushText<kBuild>(at + 1, {copy, unescaped_.copy(copy, unescaped_.size())});
  }

  const char* ReadWord(const char* at, std::string_view word) {
    const bool is_there = std::string_view(at, std::size_t(end_ - at)).starts_with(word);
    return is_there ? at + word.size() : Fail(at, "no value begins so");
  }

  template <bool kBuild>
  const char* ReadNumber(const char* at) {
    const NumberText number = NumberAt(at, end_);
    const char* const stop = at + number.text.size();
    if (stop == at) return Fail(at, "no value begins so");
    if (!kBuild) return stop;
    Push<true>(stop, Kind::kInteger);
    JsonNode& node = top_[-1];
    if (number.is_whole && std::from_chars(at, stop, node.integer).ec == std::errc()) return stop;
    node.kind = Kind::kDouble;
    node.number = DoubleOf(number.text);
    return stop;
  }

  template <bool kBuild>
  TPU_ADMISSION_INLINE const char* PushText(const char* at, std::string_view text) {
    if (!kBuild) return at;
    Push<true>(at, Kind::kString);
    top_[-1].text = text.data();
    top_[-1].size = static_cast<std::uint32_t>(text.size());
    return at;
  }

  // Puts a node on the stack, for the value that ends at `at`.
  template <bool kBuild>
  TPU_ADMISSION_INLINE const char* Push(const char* at, Kind kind) {
    if (!kBuild) return at;
    if (top_ == limit_) MakeRoom(at);
    top_->kind = kind;
    ++top_;
    return at;
  }

  std::size_t waiting() const { return std::size_t(top_ - bottom_); }

  void SetStack(std::size_t waiting) {
    bottom_ = waiting_.data();
    top_ = bottom_ + waiting;
    limit_ = bottom_ + waiting_.size();
  }

  // After a fault there is room as well: for a node that nobody reads.
  [[gnu::noinline]] void MakeRoom(const char* at) {
    const std::size_t size = waiting_.size();
    if (values_ + size < JsonParser::kMaxValues) {  // all will be in the arena
      const std::size_t wanted = std::clamp(2 * size, kFirstNodes, JsonParser::kMaxValues);
      waiting_.reserve(wanted);  // resize() alone would make room for twice as many
      waiting_.resize(wanted);
      SetStack(size);
    } else {
      Fail(at, kTooMany);
      SetStack(size - 1);
    }
  }

  TPU_ADMISSION_INLINE void* Allocate(std::size_t bytes) {
    bytes = (bytes + alignof(JsonNode) - 1) / alignof(JsonNode) * alignof(JsonNode);
    if (bytes > free_.size()) return AllocateBlock(bytes);
    void* const memory = free_.data();
    free_ = free_.subspan(bytes);
    return memory;
  }

  // Blocks of one size, not of a growing one, of which a half may stay empty. What is large has one
  // of its own, so that the rest of the last is not lost.
  [[gnu::noinline]] void* AllocateBlock(std::size_t bytes) {
    const bool is_large = bytes >= kBlock / 4;
    blocks_.emplace_back(new std::byte[is_large ? bytes : kBlock]);
    std::byte* const memory = blocks_.back().get();
    if (!is_large) free_ = std::span(memory, kBlock).subspan(bytes);
    return memory;
  }

  // Moves the waiting nodes from `first` on to the arena.
  TPU_ADMISSION_INLINE const JsonNode* Take(std::size_t first) {
    const JsonNode* const nodes = bottom_ + first;
    const std::size_t bytes = std::size_t(top_ - nodes) * sizeof(JsonNode);
    if (bytes == 0) return nullptr;
    void* const memory = Allocate(bytes);
    std::memcpy(memory, nodes, bytes);
    top_ = bottom_ + first;
    return static_cast<const JsonNode*>(memory);
  }

  static constexpr std::size_t kFirstBlock = 32 << 10;  // holds a review of usual size
  static constexpr std::size_t kBlock = 64 << 10;

  const JsonParser::Wish wish_;
  // The arena: what is in it lives until Release().
  const std::unique_ptr<std::byte[]> first_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::span<std::byte> free_;  // of the last
  const char* begin_ = nullptr;
  const char* end_ = nullptr;  // of what is read
  const char* text_end_ = nullptr;
  const char* fault_ = nullptr;
  std::size_t fault_place_ = 0;
  std::size_t values_ = 0;           // in the arena
  std::size_t unescaped_bytes_ = 0;  // in the arena
  std::size_t depth_ = 0;
  Open open_[JsonParser::kMaxDepth];
  JsonNode* bottom_ = nullptr;  // of the stack, which is waiting_
  JsonNode* top_ = nullptr;     // behind the last that waits
  JsonNode* limit_ = nullptr;
  std::vector<JsonNode> waiting_;
  std::string unescaped_;
};

#undef TPU_ADMISSION_INLINE

}  // namespace

struct JsonParser::State {
  TreeBuilder builder;
  std::string list;

  // "4" as "[4]", so that every text ends with a bracket.
  std::string_view InList(std::string_view scalar) {
    list.clear();
    list.push_back('[');
    return list.append(scalar).append(1, ']');
  }
};

JsonParser::JsonParser(const Wish& wish) : state_(new State{TreeBuilder(wish), {}}) {}
JsonParser::~JsonParser() = default;

void JsonParser::Release() { state_->builder.Release(); }

Result<JsonView> JsonParser::Parse(std::string_view text) {
  TreeBuilder& builder = state_->builder;
  text = WithoutSpace(text);
  const bool is_scalar = !text.starts_with('{') && !text.starts_with('[');
  if (is_scalar) text = state_->InList(text);
  const JsonNode* root = builder.Build(text);
  if (root != nullptr && is_scalar) root = root->size == 1 ? root->children : nullptr;
  if (root != nullptr) return JsonView(root);
  if (builder.fault() == kTooMany) {
    return Error{"the body has more than " + std::to_string(kMaxValues) + " JSON values"};
  }
  if (builder.fault() == kTooMuchText) {
    return Error{"the body has more than " + std::to_string(builder.wish().max_unescaped) +
                 " bytes of text with escapes"};
  }
  const char* const fault = builder.fault() != nullptr ? builder.fault() : "it is no single value";
  return Error{std::string("the body is not valid JSON: ") + fault + " near byte " +
               std::to_string(builder.fault_place())};
}

}  // namespace tpu_admission::k8s
