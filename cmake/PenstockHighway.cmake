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
