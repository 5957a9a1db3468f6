# What `cmake --install` puts in place: headers, library, program, and the package that find_package(cardhouse) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# project() is the one place that knows the version.
target_compile_definitions(cardhouse_report PRIVATE CARDHOUSE_VERSION="${PROJECT_VERSION}")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cardhouse)

install(TARGETS cardhouse EXPORT cardhouse_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS cardhouse_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/cardhouse DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "cli" EXCLUDE PATTERN "viewer" EXCLUDE PATTERN "reproduction" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT cardhouse_targets NAMESPACE cardhouse:: DESTINATION ${package_dir} FILE cardhouseTargets.cmake)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cardhouseConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/cardhouseConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cardhouseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cardhouseConfig.cmake ${PROJECT_BINARY_DIR}/cardhouseConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake DESTINATION ${package_dir})
