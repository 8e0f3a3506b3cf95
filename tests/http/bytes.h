/* tests/http/bytes.h: bytes with their size, for they may have a NUL among them. */
#ifndef TESTS_HTTP_BYTES_H
#define TESTS_HTTP_BYTES_H

#define BYTES(text) (text), sizeof(text) - 1

#endif
