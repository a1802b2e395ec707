import { Command } from 'commander';

interface Fuzzer {
  run(argv: string[]): Promise<void>;
}

/** Every fuzzer: what it does, and its file. */
const FUZZERS: Readonly<Record<string, { does: string; load(): Promise<Fuzzer> }>> = {
  look: {
    does: 'checks invariants of the outfit engine with random requests',
    load: () => import('./fuzz-look.ts'),
  },
  parsers: {
    does: 'runs coverage-guided fuzzing (jazzer.js) on every parser',
    load: () => import('./fuzz-parsers.ts'),
  },
  decoder: {
    does: 'sends damaged images to the processes that decode them',
    load: () => import('./fuzz-decoder.ts'),
  },
};

const program = new Command('fuzz').description('Runs a fuzzer.');
for (const [name, { does, load }] of Object.entries(FUZZERS)) {
  program
    .command(name)
    .description(does)
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', 'see --help of the fuzzer')
    .action(async (options: string[]) => (await load()).run(options));
}
await program.parseAsync();
