# penstock_highway: the SIMD library, looked up as files rather than with find_package(hwy). An
# imported target would be recorded in our export as a link dependency, and every consumer of the
# shared library would then have to find Highway too.
find_path(PENSTOCK_HIGHWAY_INCLUDE hwy/highway.h)
find_library(PENSTOCK_HIGHWAY_LIBRARY hwy)
if(NOT PENSTOCK_HIGHWAY_INCLUDE OR NOT PENSTOCK_HIGHWAY_LIBRARY)
  message(FATAL_ERROR "Highway not found: run tools/setup.sh (Debian package libhwy-dev)")
endif()
add_library(penstock_highway INTERFACE)
target_include_directories(penstock_highway SYSTEM INTERFACE ${PENSTOCK_HIGHWAY_INCLUDE})
target_link_libraries(penstock_highway INTERFACE ${PENSTOCK_HIGHWAY_LIBRARY})
if(PENSTOCK_HIGHWAY_LIBRARY MATCHES "\\.(so|dylib)")
  target_compile_definitions(penstock_highway INTERFACE HWY_SHARED_DEFINE)
endif()
# For tests of the kernels (src/kernels/target_list.h). Files that do not ask for the list do not see the
# definition: they stay the same, and in ccache.
option(PENSTOCK_ALL_TARGETS "Compile the kernels for SSSE3, SSE4 and Highway's fallback too" OFF)
if(PENSTOCK_ALL_TARGETS)
  # Ops have functions of their own in their files (src/kernels/function-inl.h).
  file(GLOB penstock_kernel_sources
    ${PROJECT_SOURCE_DIR}/src/kernels/*.cc ${PROJECT_SOURCE_DIR}/src/ops/*.cc)
  foreach(source ${penstock_kernel_sources})
    file(STRINGS ${source} includes REGEX "#include \"kernels/target(s|_list)\\.h\"")
    if(includes)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS PENSTOCK_ALL_TARGETS)
    endif()
  endforeach()
endif()
