import type { PngChunk } from './png-file.ts';
export const colourProfileOf = (_chunks: readonly PngChunk[]): Uint8Array | undefined => undefined;
