# Each tests/fuzz/<name>.c defines LLVMFuzzerTestOneInput and becomes <build>/tests/fuzz/<name>;
# tools/fuzz runs them. Target `fuzzers` builds them and what they need, nothing else. One that
# needs a library more says so: see weft_find_links.
if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "WEFT_FUZZ needs clang: -DCMAKE_C_COMPILER=clang")
endif()

add_custom_target(fuzzers)
file(GLOB sources CONFIGURE_DEPENDS tests/fuzz/*.c)
# The one function of a fuzz target is called by the fuzzer: no header declares it.
set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -Wno-missing-prototypes)
foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    weft_find_links(${source} links)
    if(links STREQUAL "NOTFOUND")
        continue()
    endif()
    weft_add_program(fuzz-${name} tests/fuzz/${name} ${source})
    target_include_directories(fuzz-${name} PRIVATE src)
    target_link_libraries(fuzz-${name} PRIVATE weft-apps ${links})
    target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers fuzz-${name})
endforeach()
