# Installs the shared library, its headers and the package that find_package(penstock) reads.
include(CMakePackageConfigHelpers)
set(PENSTOCK_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/penstock)

install(TARGETS penstock EXPORT penstockTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# LAPACK lies beside the library that loads it, which looks there first.
install(FILES ${PENSTOCK_OPENBLAS_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/penstock ${PENSTOCK_GENERATED_INCLUDE}/penstock
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT penstockTargets NAMESPACE penstock:: DESTINATION ${PENSTOCK_PACKAGE_DIR})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/penstockConfig.cmake.in
  ${PROJECT_BINARY_DIR}/generated/penstockConfig.cmake
  INSTALL_DESTINATION ${PENSTOCK_PACKAGE_DIR})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/generated/penstockConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/generated/penstockConfig.cmake
  ${PROJECT_BINARY_DIR}/generated/penstockConfigVersion.cmake
  DESTINATION ${PENSTOCK_PACKAGE_DIR})
