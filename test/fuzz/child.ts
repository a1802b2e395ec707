import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OptionSource, OptionsManager, startFuzzing } from '@jazzer.js/core';
import { isTargetName, TARGETS } from './targets.ts';

/**
 * The process that one parser is fuzzed in: `child.ts <target> <corpus> <seeds> -runs=… …`, what follows
 * the target being libFuzzer's own. It ends with 77 where something was found.
 */
// Refusals are thrown by the thousand, and each would have its stack mapped to the sources.
Error.stackTraceLimit = 0;

/** Of other people's code, what our parsers stand on. */
const LIBRARIES = ['/saxes/', '/@fastify/busboy/', '/image-size/'];
const ROOT = join(import.meta.dirname, '..', '..');
const [name = '', ...fuzzerOptions] = process.argv.slice(2);
if (!isTargetName(name)) throw new Error(`There is no target ${name}`);

const options = new OptionsManager(OptionSource.DefaultCLIOptions).merge(
  {
    fuzzTarget: pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href,
    fuzzEntryPoint: 'holds',
    includes: [join(ROOT, 'src/'), join(ROOT, 'workers/'), ...LIBRARIES],
    excludes: [join(ROOT, 'test/')],
    sync: !TARGETS[name].isAsync,
    // Nothing here opens files, sockets or processes, and looking at prototypes costs a fifth of the time.
    disableBugDetectors: ['.*'],
    fuzzerOptions,
  },
  OptionSource.CommandLineArguments,
);
const { returnCode } = await startFuzzing(options);
process.exit(returnCode);
