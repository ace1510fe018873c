// JSON pointers (RFC 6901) and the field paths people read (`spec.containers[0]`).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tpu_admission {

// Appends "/" and the token, with `~` and `/` escaped as ~0 and ~1.
void AppendPointerToken(std::string& pointer, std::string_view token);
void AppendPointerIndex(std::string& pointer, std::size_t index);
// The pointer of a member or an element of what `pointer` leads to.
std::string PointerBelow(std::string pointer, std::string_view token);
std::string PointerBelow(std::string pointer, std::size_t index);

// The first token, unescaped; takes it off a pointer that is not empty.
std::string TakePointerToken(std::string_view& pointer);
// The index into a list that a token may be.
std::optional<std::size_t> PointerIndex(std::string_view token);

// "/spec/containers/0/resources" -> "spec.containers[0].resources". A key that is no plain
// identifier is quoted: "spec.nodeSelector['cloud.google.com/gke-tpu-topology']". Keys are text of
// users: they are made safe to show (Printable).
std::string FieldPath(std::string_view pointer);

}  // namespace tpu_admission
