import { readFileSync } from 'node:fs';

/** The types of Node.js lack it. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
}
const api = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;

/** An address in the memory of an instance, or another number. */
export interface Address {
  value: number;
}

/** What every module exports; the buffer is another one when the memory has grown. */
export interface Instance {
  memory: { buffer: ArrayBuffer };
}

/** Memory up to this is kept for the next call, bytes: what was never used is ten times slower. */
const MAX_KEPT_BYTES = 2 ** 24;

/**
 * Compiles `data/<name>.wasm`.
 * @returns a function that calls another one with an instance, whose memory may hold what the last one left
 */
export function compileModule<T extends Instance>(name: string): <R>(use: (instance: T) => R) => R {
  const file = new URL(`../../data/${name}.wasm`, import.meta.url);
  const module = new api.Module(readFileSync(file));
  let kept: T | undefined;
  return (use) => {
    const instance = kept ?? (new api.Instance(module).exports as T);
    kept = undefined;
    const result = use(instance);
    if (instance.memory.buffer.byteLength <= MAX_KEPT_BYTES) kept = instance;
    return result;
  };
}
