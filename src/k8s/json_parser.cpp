// The only file that knows Boost.JSON: its parser reports events, and TreeBuilder makes nodes of
// them. Half the cost of Boost's own tree, because strings stay where they are and managedFields,
// often the larger half of an object, are left out.
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>
#include <cstring>
#include <memory_resource>
#include <string>
#include <vector>

#include "k8s/json_node.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::k8s {
namespace {

namespace bj = boost::json;
using ErrorCode = boost::system::error_code;
using Kind = JsonNode::Kind;

constexpr std::string_view kLeftOut = "managedFields";

// The handler of bj::basic_parser: values wait on a stack until their parent ends, which then takes
// them into the arena side by side.
class TreeBuilder {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  explicit TreeBuilder(std::pmr::memory_resource& arena) : arena_(arena) {}

  // `text` must outlive the tree.
  void Begin(std::string_view text) {
    text_ = text;
    waiting_.clear();
    partial_.clear();
    values_ = 0;
    left_out_depth_ = 0;
    leave_out_next_ = false;
  }

  const JsonNode* Finish() {
    constexpr std::size_t kKeep = 16'384;  // nodes of a review of usual size
    const JsonNode* root = Take(1);
    if (waiting_.capacity() > kKeep) std::vector<JsonNode>().swap(waiting_);
    return root;
  }

  bool too_many_values() const { return values_ > JsonParser::kMaxValues; }

  bool on_document_begin(ErrorCode&) { return true; }
  bool on_document_end(ErrorCode&) { return true; }
  bool on_object_begin(ErrorCode&) {
    if (left_out_depth_ > 0) ++left_out_depth_;
    return true;
  }
  bool on_array_begin(ErrorCode&) {
    if (left_out_depth_ > 0 || leave_out_next_) ++left_out_depth_;
    leave_out_next_ = false;
    return true;
  }
  bool on_object_end(std::size_t size, ErrorCode& error) {
    return End(Kind::kObject, size, 2 * size, error);
  }
  bool on_array_end(std::size_t size, ErrorCode& error) {
    return End(Kind::kArray, size, size, error);
  }

  bool on_key_part(bj::string_view part, std::size_t, ErrorCode&) { return AddPart(part); }
  bool on_string_part(bj::string_view part, std::size_t, ErrorCode&) { return AddPart(part); }
  bool on_key(bj::string_view end, std::size_t, ErrorCode& error) {
    if (!PushString(end, error)) return false;
    leave_out_next_ = left_out_depth_ == 0 && waiting_.back().string() == kLeftOut;
    return true;
  }
  bool on_string(bj::string_view end, std::size_t, ErrorCode& error) {
    return PushString(end, error);
  }

  bool on_number_part(bj::string_view, ErrorCode&) { return true; }
  bool on_int64(std::int64_t number, bj::string_view, ErrorCode& error) {
    JsonNode* node = Push(Kind::kInteger, error);
    if (node != nullptr) node->integer = number;
    return !error;
  }
  bool on_uint64(std::uint64_t number, bj::string_view text, ErrorCode& error) {
    return on_double(static_cast<double>(number), text, error);
  }
  bool on_double(double number, bj::string_view, ErrorCode& error) {
    JsonNode* node = Push(Kind::kDouble, error);
    if (node != nullptr) node->number = number;
    return !error;
  }
  bool on_bool(bool value, ErrorCode& error) {
    Push(value ? Kind::kTrue : Kind::kFalse, error);
    return !error;
  }
  bool on_null(ErrorCode& error) {
    Push(Kind::kNull, error);
    return !error;
  }
  bool on_comment_part(bj::string_view, ErrorCode&) { return true; }
  bool on_comment(bj::string_view, ErrorCode&) { return true; }

 private:
  bool End(Kind kind, std::size_t size, std::size_t nodes, ErrorCode& error) {
    if (left_out_depth_ > 0) {
      if (--left_out_depth_ > 0) return true;
      return on_null(error);  // stands for what was left out
    }
    const JsonNode* children = Take(nodes);
    JsonNode* node = Push(kind, error);
    if (node == nullptr) return false;
    node->size = static_cast<std::uint32_t>(size);
    node->children = children;
    return true;
  }

  // A new waiting node; nullptr within what is left out, or with `error` if there are too many.
  JsonNode* Push(Kind kind, ErrorCode& error) {
    leave_out_next_ = false;
    if (left_out_depth_ > 0) return nullptr;
    if (++values_ > JsonParser::kMaxValues) {
      error = bj::error::array_too_large;
      return nullptr;
    }
    JsonNode& node = waiting_.emplace_back();
    node.kind = kind;
    return &node;
  }

  // Parts come where a string has escapes.
  bool AddPart(bj::string_view part) {
    if (left_out_depth_ == 0) partial_.append(part.data(), part.size());
    return true;
  }

  bool PushString(bj::string_view end, ErrorCode& error) {
    JsonNode* node = Push(Kind::kString, error);
    if (node == nullptr) return !error;
    const bool in_place =
        partial_.empty() && end.data() >= text_.data() && end.data() < text_.data() + text_.size();
    const std::string_view string = in_place ? std::string_view(end.data(), end.size()) : Copy(end);
    node->text = string.data();
    node->size = static_cast<std::uint32_t>(string.size());
    return true;
  }

  // The parts of a string and its end, put together in the arena.
  std::string_view Copy(bj::string_view end) {
    partial_.append(end.data(), end.size());
    char* copy = static_cast<char*>(arena_.allocate(partial_.size() + 1, 1));
    const std::size_t size = partial_.copy(copy, partial_.size());
    partial_.clear();
    return {copy, size};
  }

  // Moves the last `count` waiting nodes to the arena.
  const JsonNode* Take(std::size_t count) {
    if (count == 0) return nullptr;
    void* memory = arena_.allocate(count * sizeof(JsonNode), alignof(JsonNode));
    std::memcpy(memory, &waiting_[waiting_.size() - count], count * sizeof(JsonNode));
    waiting_.resize(waiting_.size() - count);
    return static_cast<const JsonNode*>(memory);
  }

  std::pmr::memory_resource& arena_;
  std::string_view text_;
  std::vector<JsonNode> waiting_;
  std::string partial_;
  std::size_t values_ = 0;
  int left_out_depth_ = 0;       // collections open within managedFields
  bool leave_out_next_ = false;  // the key was managedFields
};

bj::parse_options Options() {
  bj::parse_options options;
  options.max_depth = JsonParser::kMaxDepth;
  options.allow_invalid_utf8 = true;  // of the text as a whole, Parse() sees to it: it is cheaper
  return options;
}

bool IsAscii(std::string_view text) {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

}  // namespace

struct JsonParser::State {
  static constexpr std::size_t kArenaBytes = 32 << 10;  // holds a review of usual size

  std::unique_ptr<std::byte[]> block{new std::byte[kArenaBytes]};
  std::pmr::monotonic_buffer_resource arena{block.get(), kArenaBytes};
  bj::basic_parser<TreeBuilder> parser{Options(), arena};
};

JsonParser::JsonParser() : state_(std::make_unique<State>()) {}
JsonParser::~JsonParser() = default;

Result<JsonView> JsonParser::Parse(std::string_view text) {
  if (!IsAscii(text) && !IsUtf8(text)) {
    return Error{"the body is not valid JSON: it is not UTF-8"};
  }
  State& state = *state_;
  state.arena.release();
  TreeBuilder& builder = state.parser.handler();
  builder.Begin(text);
  state.parser.reset();
  ErrorCode error;
  const std::size_t parsed = state.parser.write_some(false, text.data(), text.size(), error);
  if (!error && parsed < text.size()) error = bj::error::extra_data;
  if (builder.too_many_values()) {
    return Error{"the body has more than " + std::to_string(kMaxValues) + " JSON values"};
  }
  if (error) {
    return Error{"the body is not valid JSON: " + error.message() + " near byte " +
                 std::to_string(parsed)};
  }
  return JsonView(builder.Finish());
}

}  // namespace tpu_admission::k8s
