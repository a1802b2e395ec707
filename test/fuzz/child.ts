import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OptionSource, OptionsManager, startFuzzing } from '@jazzer.js/core';
import { isTargetName, TARGETS } from './targets.ts';

/**
 * The process that fuzzes one target: `child.ts <target> <corpus> <seeds> -runs=… …`; the arguments after the
 * target are libFuzzer's. Exits with 77 if an input failed.
 */
// Thousands of rejections are thrown, and mapping each stack to the sources would be slow.
Error.stackTraceLimit = 0;

/** Libraries the parsers are built on, instrumented too. */
const LIBRARIES = ['/saxes/', '/@fastify/busboy/'];
const ROOT = join(import.meta.dirname, '..', '..');
const [name = '', ...fuzzerOptions] = process.argv.slice(2);
if (!isTargetName(name)) throw new Error(`Unknown target ${name}`);

const options = new OptionsManager(OptionSource.DefaultCLIOptions).merge(
  {
    fuzzTarget: pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href,
    fuzzEntryPoint: 'fuzz',
    includes: [join(ROOT, 'src/'), join(ROOT, 'workers/'), ...LIBRARIES],
    excludes: [join(ROOT, 'test/')],
    sync: !TARGETS[name].isAsync,
    // No target opens files, sockets or processes, and the prototype detector costs a fifth of the time.
    disableBugDetectors: ['.*'],
    fuzzerOptions,
  },
  OptionSource.CommandLineArguments,
);
const { returnCode } = await startFuzzing(options);
process.exit(returnCode);
