# What `make install` puts where. Nothing written here holds an absolute path: the prefix may be
# chosen at install time, and an installed tree may be moved.
include(CMakePackageConfigHelpers)

function(weft_install_library name description requires uses)
    install(TARGETS lib${name} lib${name}-static EXPORT ${name}Targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

    # pkg-config
    set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    file(RELATIVE_PATH pc_to_prefix "/${pc_folder}" /)
    string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
    list(JOIN requires " " pc_requires)
    foreach(used IN LISTS uses)
        string(APPEND pc_requires " ${used} = ${PROJECT_VERSION}")
    endforeach()
    configure_file(cmake/library.pc.in "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION ${pc_folder})

    # CMake package
    set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/${name})
    configure_package_config_file(cmake/libraryConfig.cmake.in
        "${PROJECT_BINARY_DIR}/${name}Config.cmake" INSTALL_DESTINATION ${cmake_folder})
    write_basic_package_version_file("${PROJECT_BINARY_DIR}/${name}ConfigVersion.cmake"
        COMPATIBILITY SameMinorVersion)
    install(FILES "${PROJECT_BINARY_DIR}/${name}Config.cmake"
        "${PROJECT_BINARY_DIR}/${name}ConfigVersion.cmake" DESTINATION ${cmake_folder})
    install(EXPORT ${name}Targets NAMESPACE weft:: DESTINATION ${cmake_folder})
endfunction()

function(weft_install_command target)
    install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES apps/completion/weft.bash RENAME weft
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    foreach(section 1 3 7)
        file(GLOB pages CONFIGURE_DEPENDS docs/man/*.${section})
        install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endforeach()
endfunction()

# For gdb: source it; see weft/dump.h.
install(FILES tools/weft-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/weft)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
