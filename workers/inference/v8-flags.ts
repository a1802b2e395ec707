/**
 * How V8 is to collect garbage where pictures are worked on: options of its process. Its own heap is small there, and
 * the pictures beside it count as if they lay in it. So garbage of twice what is alive may gather before V8 looks
 * through all of it, which it did at every picture; and there is 1 MiB for what is young instead of 16.
 */
export const COLLECTING = ['--heap-growing-percent=200', '--max-semi-space-size=1'];
