# penstock_re2: regular expressions that take linear time and never overflow the stack, looked up as
# files for the reason that PenstockHighway.cmake gives.
find_path(PENSTOCK_RE2_INCLUDE re2/re2.h)
find_library(PENSTOCK_RE2_LIBRARY re2)
if(NOT PENSTOCK_RE2_INCLUDE OR NOT PENSTOCK_RE2_LIBRARY)
  message(FATAL_ERROR "RE2 not found: run tools/setup.sh (Debian package libre2-dev)")
endif()
add_library(penstock_re2 INTERFACE)
target_include_directories(penstock_re2 SYSTEM INTERFACE ${PENSTOCK_RE2_INCLUDE})
target_link_libraries(penstock_re2 INTERFACE ${PENSTOCK_RE2_LIBRARY})
