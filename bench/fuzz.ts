import { Command } from 'commander';

interface Fuzzer {
  run(argv: string[]): Promise<void>;
}

/** Every fuzzer: what it does, and the file that does it. */
const FUZZERS: Readonly<Record<string, { does: string; load(): Promise<Fuzzer> }>> = {
  look: {
    does: 'random requests for targets and outfits against what must always hold',
    load: () => import('./fuzz-look.ts'),
  },
  parsers: {
    does: 'inputs that coverage guides (jazzer.js) through every parser of ours',
    load: () => import('./fuzz-parsers.ts'),
  },
  decoder: {
    does: 'damaged pictures through the process that decodes them',
    load: () => import('./fuzz-decoder.ts'),
  },
};

const program = new Command('fuzz').description(
  'Inputs nobody would write, against what must hold',
);
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
