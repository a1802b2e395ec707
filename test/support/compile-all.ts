import { compile } from '../../infra/launcher/compile.mjs';
import { ROOT } from './root.ts';

/** Compiles the sources into `dist`, from which tests and benchmarks start their processes. */
export const compileAll = (): Promise<void> => compile(ROOT);

/** Called by Vitest. */
export const setup = compileAll;
