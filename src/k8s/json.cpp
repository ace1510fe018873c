#include "tpu_admission/k8s/json.h"

#include <boost/json/src.hpp>  // Boost.JSON is compiled here and used nowhere else

#include <array>

namespace tpu_admission::k8s {
namespace {

namespace bj = boost::json;

const bj::value* Of(const void* value) { return static_cast<const bj::value*>(value); }

}  // namespace

bool JsonView::is_null() const { return present() && Of(value_)->is_null(); }
bool JsonView::is_object() const { return present() && Of(value_)->is_object(); }
bool JsonView::is_array() const { return present() && Of(value_)->is_array(); }

JsonView JsonView::operator[](std::string_view key) const {
  if (!is_object()) return {};
  return JsonView(Of(value_)->get_object().if_contains({key.data(), key.size()}));
}

JsonView JsonView::Follow(std::string_view path) const {
  JsonView view = *this;
  while (!path.empty() && view.present()) {
    const std::size_t slash = path.find('/');
    view = view[path.substr(0, slash)];
    path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
  }
  return view;
}

std::size_t JsonView::size() const {
  if (is_array()) return Of(value_)->get_array().size();
  return is_object() ? Of(value_)->get_object().size() : 0;
}

JsonView JsonView::Element(std::size_t index) const {
  return is_array() ? JsonView(Of(value_)->get_array().if_contains(index)) : JsonView();
}

std::string_view JsonView::MemberKey(std::size_t index) const {
  if (!is_object() || index >= size()) return {};
  const bj::string_view key = (Of(value_)->get_object().begin() + std::ptrdiff_t(index))->key();
  return {key.data(), key.size()};
}

JsonView JsonView::Member(std::size_t index) const {
  if (!is_object() || index >= size()) return {};
  return JsonView(&(Of(value_)->get_object().begin() + std::ptrdiff_t(index))->value());
}

std::optional<std::string_view> JsonView::AsString() const {
  if (!present() || !Of(value_)->is_string()) return std::nullopt;
  const bj::string& text = Of(value_)->get_string();
  return std::string_view(text.data(), text.size());
}

std::string_view JsonView::StringOr(std::string_view otherwise) const {
  return AsString().value_or(otherwise);
}

std::optional<std::int64_t> JsonView::AsInteger() const {
  if (!present() || !Of(value_)->is_number()) return std::nullopt;
  boost::system::error_code error;
  const auto number = Of(value_)->to_number<std::int64_t>(error);
  return error ? std::nullopt : std::optional(number);
}

std::optional<double> JsonView::AsDouble() const {
  if (!present() || !Of(value_)->is_number()) return std::nullopt;
  return Of(value_)->to_number<double>();
}

bool JsonView::IsTrue() const {
  return present() && Of(value_)->is_bool() && Of(value_)->get_bool();
}

bool Equal(JsonView a, JsonView b) {
  if (!a.present() || !b.present()) return a.present() == b.present();
  return *Of(a.value_) == *Of(b.value_);
}

// A review of a usual Pod fits the arena's first block, so a request makes no heap call here.
struct JsonParser::State {
  static constexpr std::size_t kArenaBytes = 128 << 10;

  std::unique_ptr<unsigned char[]> block{new unsigned char[kArenaBytes]};
  bj::monotonic_resource arena{block.get(), kArenaBytes};
  std::array<unsigned char, 4096> scratch;
  bj::parser parser{bj::storage_ptr(), Options(), scratch.data(), scratch.size()};
  const bj::value* root = nullptr;

  static bj::parse_options Options() {
    bj::parse_options options;
    options.max_depth = kMaxDepth;
    return options;
  }
};

JsonParser::JsonParser() : state_(std::make_unique<State>()) {}
JsonParser::~JsonParser() = default;

Result<JsonView> JsonParser::Parse(std::string_view text) {
  State& state = *state_;
  // A value in an arena needs no destructor: release() takes everything back at once.
  state.parser.reset();
  state.arena.release();
  state.parser.reset(&state.arena);
  boost::system::error_code error;
  const std::size_t parsed = state.parser.write(text.data(), text.size(), error);
  if (error) {
    return Error{"the body is not valid JSON: " + error.message() + " near byte " +
                 std::to_string(parsed)};
  }
  auto* root = new (state.arena.allocate(sizeof(bj::value), alignof(bj::value)))
      bj::value(state.parser.release());
  state.root = root;
  return JsonView(root);
}

}  // namespace tpu_admission::k8s
