# penstock_zlib: compressed files of input pipelines. Without zlib the library builds as well, and a
# compressed file raises UnimplementedError. Looked up as files for the reason that
# PenstockHighway.cmake gives.
find_path(PENSTOCK_ZLIB_INCLUDE zlib.h)
find_library(PENSTOCK_ZLIB_LIBRARY z)
add_library(penstock_zlib INTERFACE)
if(PENSTOCK_ZLIB_INCLUDE AND PENSTOCK_ZLIB_LIBRARY)
  target_include_directories(penstock_zlib SYSTEM INTERFACE ${PENSTOCK_ZLIB_INCLUDE})
  target_link_libraries(penstock_zlib INTERFACE ${PENSTOCK_ZLIB_LIBRARY})
  set(PENSTOCK_ZLIB_LIBRARIES ${PENSTOCK_ZLIB_LIBRARY})
  # The other files do not see the definition: they stay the same, and in ccache.
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/data/files/compression.cc
    APPEND PROPERTY COMPILE_DEFINITIONS PENSTOCK_HAS_ZLIB)
else()
  message(STATUS "penstock: no zlib (Debian package zlib1g-dev): compressed files cannot be read")
  set(PENSTOCK_ZLIB_LIBRARIES "")
endif()
