# penstock_compiler: warnings and sanitizers, linked by every target of this project and exported
# to none of its consumers.
add_library(penstock_compiler INTERFACE)
target_compile_options(penstock_compiler INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wundef
  -Wextra-semi -Wimplicit-fallthrough
  $<$<BOOL:${PENSTOCK_WERROR}>:-Werror>
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op>
  # Clang counts the steps of constant initializers; the ledger's tables need more than its limit.
  $<$<CXX_COMPILER_ID:Clang>:-fconstexpr-steps=20000000>
  # GCC reports overruns in std::string and std::vector that do not exist.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>
  # GCC 13 and newer report reads of a std::variant's inactive alternatives.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-maybe-uninitialized>)

if(PENSTOCK_SANITIZE)
  if(NOT PENSTOCK_SANITIZE MATCHES "^(address|undefined|address,undefined|thread)$")
    message(FATAL_ERROR "PENSTOCK_SANITIZE=${PENSTOCK_SANITIZE}: expected address,undefined or thread")
  endif()
  target_compile_options(penstock_compiler INTERFACE
    -fsanitize=${PENSTOCK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g
    # With a sanitizer GCC loses track of what a Shape's rank guards.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(penstock_compiler INTERFACE -fsanitize=${PENSTOCK_SANITIZE})
  if(PENSTOCK_SANITIZE MATCHES address)
    target_compile_definitions(penstock_compiler INTERFACE PENSTOCK_SANITIZE_ADDRESS)
  elseif(PENSTOCK_SANITIZE STREQUAL thread)
    target_compile_definitions(penstock_compiler INTERFACE PENSTOCK_SANITIZE_THREAD)
  endif()
endif()

# Paths below the project count as relative to it, so that a clone in another folder hits the cache too.
# The sloppiness: ccache asks for the first two before it caches a file with a precompiled header; the
# language of messages does not matter.
find_program(PENSTOCK_CCACHE ccache)
if(PENSTOCK_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
    CCACHE_SLOPPINESS=pch_defines,time_macros,locale ${PENSTOCK_CCACHE})
endif()
