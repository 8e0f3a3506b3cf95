# weft_add_library(<name> ROOMS <room>... REQUIRES <pkg-config module>...
#                  [LOADS <pkg-config module>...] [USES <our library>...] DESCRIPTION <text>)
#
# It is linked to what it REQUIRES; of what it LOADS it only has the headers, and finds the library
# by itself when it is first needed.
# Compiles src/<room>/*.c once, position independent and hidden, into lib<name>.so and lib<name>.a,
# and installs both with a pkg-config file and a CMake package of the same name.
# Targets: lib<name> (shared, outside: weft::<name>) and lib<name>-static (weft::<name>-static).
find_package(PkgConfig REQUIRED)

function(weft_add_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION" "ROOMS;REQUIRES;LOADS;USES")
    list(TRANSFORM arg_ROOMS REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1/*.c" OUTPUT_VARIABLE globs)
    file(GLOB sources CONFIGURE_DEPENDS ${globs})
    if(NOT sources)
        message(STATUS "${name}: no sources yet")
        return()
    endif()

    add_library(lib${name}-objects OBJECT ${sources})
    set_target_properties(lib${name}-objects PROPERTIES
        POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
    target_include_directories(lib${name}-objects PRIVATE
        "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(lib${name}-objects PRIVATE weft-flags)

    foreach(kind SHARED STATIC)
        set(suffix "")
        if(kind STREQUAL STATIC)
            set(suffix -static)
        endif()
        add_library(lib${name}${suffix} ${kind} $<TARGET_OBJECTS:lib${name}-objects>)
        set_target_properties(lib${name}${suffix} PROPERTIES
            OUTPUT_NAME ${name} EXPORT_NAME ${name}${suffix})
        target_include_directories(lib${name}${suffix} INTERFACE
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
        target_link_libraries(lib${name}${suffix} PRIVATE $<BUILD_INTERFACE:weft-flags>)
        foreach(used IN LISTS arg_USES)
            target_link_libraries(lib${name}${suffix} PUBLIC lib${used}${suffix})
        endforeach()
        add_library(weft::${name}${suffix} ALIAS lib${name}${suffix})
    endforeach()

    # Before 1.0 a minor version may change the structs that callers embed; after, only a major.
    set(soversion ${PROJECT_VERSION_MAJOR})
    if(PROJECT_VERSION_MAJOR EQUAL 0)
        set(soversion 0.${PROJECT_VERSION_MINOR})
    endif()
    set_target_properties(lib${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${soversion})
    if(arg_USES) # the libraries of ours are installed side by side
        set_target_properties(lib${name} PROPERTIES INSTALL_RPATH "$ORIGIN")
    endif()
    # A symbol that nobody defines is found here and not in the users' link.
    if(NOT WEFT_SANITIZE AND NOT WEFT_FUZZ)
        target_link_options(lib${name} PRIVATE -Wl,--no-undefined)
    endif()

    # Of all that ours need only uv.h is in their headers. The flags of the others are no business of
    # whoever uses us: hiredis' would change the meaning of off_t there.
    foreach(module IN LISTS arg_REQUIRES)
        pkg_check_modules(${module} REQUIRED IMPORTED_TARGET GLOBAL ${module})
        target_link_libraries(lib${name}-objects PRIVATE PkgConfig::${module})
        set(reach PRIVATE)
        if(module STREQUAL "libuv")
            set(reach PUBLIC)
        endif()
        target_link_libraries(lib${name} ${reach} PkgConfig::${module})
        target_link_libraries(lib${name}-static ${reach} PkgConfig::${module})
    endforeach()
    foreach(module IN LISTS arg_LOADS)
        pkg_check_modules(${module} REQUIRED IMPORTED_TARGET GLOBAL ${module})
        target_link_libraries(lib${name}-objects PRIVATE PkgConfig::${module})
    endforeach()
    set_property(GLOBAL APPEND PROPERTY weft_libraries lib${name}-static)
    weft_install_library(${name} "${arg_DESCRIPTION}" "${arg_REQUIRES}" "${arg_USES}")
endfunction()
