# The programs: the command, the examples and the benchmarks. All of them use only include/, as
# anybody outside could, and link the static libraries, so that they run from wherever they are.
# They get every library that was added before them; the linker leaves out what they do not use.

function(weft_add_program target output)
    add_executable(${target} ${ARGN})
    get_filename_component(folder "${PROJECT_BINARY_DIR}/${output}" DIRECTORY)
    get_filename_component(file "${output}" NAME)
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${file} RUNTIME_OUTPUT_DIRECTORY "${folder}")
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
    get_property(libraries GLOBAL PROPERTY weft_libraries)
    target_link_libraries(${target} PRIVATE ${libraries} weft-flags)
    target_link_options(${target} PRIVATE -Wl,--as-needed)
endfunction()

# Libraries that only this one source needs: one of its first ten lines is ` * links: <name>...`.
# Sets <found> to what to link; to NOTFOUND, and says so, if one is not here: then the program is
# left out.
function(weft_find_links source found)
    file(STRINGS ${source} head LIMIT_COUNT 10)
    set(names "")
    set(libraries "")
    if("${head}" MATCHES "\\* links: ([a-z0-9_ -]+)")
        string(REGEX MATCHALL "[^ ]+" names "${CMAKE_MATCH_1}")
    endif()
    foreach(name IN LISTS names)
        find_library(WEFT_LINKS_${name} ${name})
        if(NOT WEFT_LINKS_${name})
            get_filename_component(left_out ${source} NAME)
            message(STATUS "${left_out} is left out: there is no lib${name}")
            set(libraries NOTFOUND)
            break()
        endif()
        list(APPEND libraries ${WEFT_LINKS_${name}})
    endforeach()
    set(${found} "${libraries}" PARENT_SCOPE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endfunction()

include(Embed)

# apps/*.c and apps/<program>/*.c are one program with subcommands. All but its main() is a library
# within the build, weft-apps, so that tests can take the parts one by one.
function(weft_add_command name)
    file(GLOB sources CONFIGURE_DEPENDS apps/*.c apps/*/*.c)
    list(REMOVE_ITEM sources "${PROJECT_SOURCE_DIR}/apps/main.c")
    set(embedded "")
    foreach(page trace/report:trace_page sales/page:sales_page spider/page:spider_page)
        string(REGEX MATCH "(.*):(.*)" page ${page})
        file(GLOB files CONFIGURE_DEPENDS apps/${CMAKE_MATCH_1}/*)
        weft_embed(source ${CMAKE_MATCH_2} ${files})
        list(APPEND embedded ${source})
    endforeach()
    get_property(libraries GLOBAL PROPERTY weft_libraries)
    add_library(weft-apps STATIC ${sources} ${embedded})
    target_include_directories(weft-apps PUBLIC
        "${PROJECT_SOURCE_DIR}/apps" "${PROJECT_SOURCE_DIR}/include")
    set_target_properties(weft-apps PROPERTIES
        ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/apps") # not among those that are installed
    target_link_libraries(weft-apps PUBLIC ${libraries} PRIVATE weft-flags)
    weft_add_program(${name}-command ${name} apps/main.c)
    target_link_libraries(${name}-command PRIVATE weft-apps)
    weft_install_command(${name}-command)
endfunction()

# Each demo/<name>.c is a program that a demonstration or a test needs: build/demo/<name>. Its parts
# are in demo/<name>/.
function(weft_add_demos)
    file(GLOB sources CONFIGURE_DEPENDS demo/*.c)
    foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME_WE)
        file(GLOB parts CONFIGURE_DEPENDS demo/${name}/*.c)
        weft_add_program(demo-${name} demo/${name} ${source} ${parts})
    endforeach()
endfunction()

# Each examples/<name>.c is a program, examples/<folder>/<name>.c too; with a <name>.out beside it,
# it is a test.
function(weft_add_examples)
    file(GLOB sources CONFIGURE_DEPENDS examples/*.c examples/*/*.c)
    file(GLOB answers CONFIGURE_DEPENDS examples/*.out)
    foreach(source IN LISTS sources)
        file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}/examples" ${source})
        string(REGEX REPLACE "\\.c$" "" name ${name})
        string(REPLACE "/" "-" target example-${name})
        weft_add_program(${target} examples/${name} ${source})
    endforeach()
    if(NOT WEFT_TESTS)
        return()
    endif()
    foreach(answer IN LISTS answers)
        get_filename_component(name ${answer} NAME_WE)
        add_test(NAME examples/${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/examples"
            COMMAND "${PROJECT_SOURCE_DIR}/tests/lib/expect.sh" ${answer}
                "${PROJECT_BINARY_DIR}/examples/${name}")
        set_tests_properties(examples/${name} PROPERTIES TIMEOUT 60 LABELS examples)
        file(STRINGS examples/${name}.c seeing REGEX "weft/(hook|context|dump)\\.h")
        if(seeing AND CMAKE_C_FLAGS MATCHES "-DWEFT_NO_HOOKS")
            set_tests_properties(examples/${name} PROPERTIES DISABLED TRUE)
        endif()
    endforeach()
endfunction()

# Each bench/<folder>/*.c is a program build/bench/<folder>/<name>, built only by target `bench`.
function(weft_add_benchmarks)
    add_custom_target(bench)
    add_dependencies(bench weft-command) # some of them measure that
    # The one peer whose headers are not where everybody's are.
    find_path(WEFT_LIBXML2_HEADERS libxml/HTMLparser.h PATH_SUFFIXES libxml2)
    file(GLOB sources CONFIGURE_DEPENDS bench/*/*.c)
    foreach(source IN LISTS sources)
        file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" ${source})
        string(REGEX REPLACE "\\.c$" "" path ${path})
        string(REPLACE "/" "-" target ${path})
        weft_find_links(${source} links)
        if(links STREQUAL "NOTFOUND")
            continue()
        endif()
        weft_add_program(${target} ${path} ${source})
        target_link_libraries(${target} PRIVATE ${links})
        if(path MATCHES "^bench/(sales|subsetsum)/") # they measure parts of the command
            target_link_libraries(${target} PRIVATE weft-apps)
        endif()
        if(WEFT_LIBXML2_HEADERS AND "${links}" MATCHES "xml2")
            target_include_directories(${target} SYSTEM PRIVATE ${WEFT_LIBXML2_HEADERS})
        endif()
        set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
        add_dependencies(bench ${target})
    endforeach()
endfunction()
