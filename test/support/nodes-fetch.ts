/**
 * The `fetch` of tests stays Node's own, as a user has it. The package undici, which the worker's code imports, would
 * put its own client behind it, unless Node's is loaded before; and that one throws where nothing can catch it if a
 * server closes while a response waits for its reader (docs/adr/0073-connections-end-when-read.md).
 */
void Headers; // loads Node's
