# Text files built into the binary, and rebuilt when one changes.
#
#   tpu_admission_embed_text(tpu_admission_tpu tpu_admission::tpu::BuiltInCatalogText
#                            ${PROJECT_SOURCE_DIR}/config/tpu-catalog.yaml)
#   tpu_admission_embed_texts(tpu_admission_rules tpu_admission::rules::Readmes FILES...)
#
# define `std::string_view tpu_admission::tpu::BuiltInCatalogText()`, and
# `std::span<const std::string_view> tpu_admission::rules::Readmes()` with a text for each file, in the
# target; one of its sources declares it. As a script (cmake -P) this file writes the .cpp.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(TPU_ADMISSION_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  function(tpu_admission_embed target function kind)
    string(REPLACE "::" "_" name "${function}")
    set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cpp)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DFUNCTION=${function} -DKIND=${kind} "-DINPUT=${ARGN}"
              -DOUTPUT=${output} -P ${TPU_ADMISSION_EMBED_SCRIPT}
      DEPENDS ${ARGN} ${TPU_ADMISSION_EMBED_SCRIPT}
      COMMENT "Embedding for ${function}()" VERBATIM)
    target_sources(${target} PRIVATE ${output})
    # Not into a batch of sources: what reads those (clang-tidy) can do without it, and it is there only once built.
    set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endfunction()

  function(tpu_admission_embed_text target function file)
    tpu_admission_embed(${target} ${function} one ${file})
  endfunction()

  function(tpu_admission_embed_texts target function)
    tpu_admission_embed(${target} ${function} list ${ARGN})
  endfunction()
  return()
endif()

# Bytes rather than a string literal: compilers bound the length of those.
set(texts "")
set(views "")
set(number 0)
foreach(file IN LISTS INPUT)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND texts "constexpr unsigned char kText${number}[] = {\n${bytes}\n};\n")
  string(APPEND views
         "    {reinterpret_cast<const char*>(kText${number}), sizeof(kText${number})},\n")
  math(EXPR number "${number} + 1")
endforeach()
string(REGEX REPLACE "::[^:]*$" "" namespace "${FUNCTION}")
string(REGEX REPLACE "^.*::" "" function "${FUNCTION}")
set(type "std::span<const std::string_view>")
set(result "kTexts")
if(KIND STREQUAL one)
  set(type "std::string_view")
  set(result "kTexts[0]")
endif()
file(WRITE ${OUTPUT} "// Written by cmake/EmbedText.cmake.
#include <span>
#include <string_view>

namespace ${namespace} {
namespace {

${texts}
}  // namespace

${type} ${function}();
${type} ${function}() {
  static const std::string_view kTexts[] = {
${views}  };
  return ${result};
}

}  // namespace ${namespace}
")
