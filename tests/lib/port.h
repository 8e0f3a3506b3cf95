/* tests/lib/port.h: a port for a server that has to be told which. */
#ifndef TESTS_PORT_H
#define TESTS_PORT_H

/* One of 127.0.0.1 that was free a moment ago. Below those that the kernel gives to whoever connects
 * somewhere: a server that was killed finds its own free again, and tests that run at the same time
 * do not take it. */
unsigned free_port(void);

#endif
