/**
 * V8 garbage collection options for processes that work on images. Their JavaScript heap is small, but V8 also counts
 * the image buffers outside it. With these options, garbage of twice the live size may accumulate before a full
 * collection, which otherwise may run for most images; and the young generation has 1 MiB instead of 16. `gc` is exposed for
 * a collection in a rest. They save a tenth of a child's memory (270 instead of 300 MiB after fifty images) and no CPU.
 */
export const GC_FLAGS = ['--heap-growing-percent=200', '--max-semi-space-size=1', '--expose-gc'];
