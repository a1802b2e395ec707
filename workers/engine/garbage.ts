import { setFlagsFromString } from 'node:v8';

/**
 * Lets garbage of three times what is alive gather before V8 looks through all of it. Pictures lie outside of its small
 * heap, but count: otherwise it does so at every picture, which took a third of the CPU time around the network.
 */
export const collectSeldom = (): void => setFlagsFromString('--heap-growing-percent=300');
