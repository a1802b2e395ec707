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

/** Compiles `data/<name>.wasm`. @returns what makes an instance, with memory of its own */
export function compileModule<T extends Instance>(name: string): () => T {
  const file = new URL(`../../data/${name}.wasm`, import.meta.url);
  const module = new api.Module(readFileSync(file));
  return () => new api.Instance(module).exports as T;
}
