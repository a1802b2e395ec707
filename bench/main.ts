import { Command } from 'commander';
import { compile } from '../test/support/build.ts';

/** Every benchmark: what it measures, the file that does, and whether it starts the service, compiled. */
const BENCHES: Readonly<
  Record<string, { measures: string; load(): Promise<Bench>; startsService?: true }>
> = {
  gateway: {
    measures: 'what gateway, queue and store add to the engine; event loops; parallel work; memory',
    load: () => import('./gateway.ts'),
    startsService: true,
  },
  engine: {
    measures: 'pictures through the inference children',
    load: () => import('./engine.ts'),
  },
  bulk: {
    measures: 'a batch of image addresses against the bare inference loop',
    load: () => import('./bulk.ts'),
    startsService: true,
  },
  batch: {
    measures: 'a catalogue handed in: seconds, and the memory of the gateway',
    load: () => import('./batch.ts'),
    startsService: true,
  },
  feed: {
    measures: 'the import of a feed, and again unchanged',
    load: () => import('./feed.ts'),
    startsService: true,
  },
  quality: {
    measures: 'cut-outs against ground truth, per kind of photo, for any catalogue model',
    load: () => import('./quality.ts'),
  },
  compare: {
    measures: 'any of these, of an earlier commit and of this tree in turns',
    load: () => import('./compare.ts'),
  },
  pixels: { measures: 'CPU time of each step of a cut-out', load: () => import('./pixels.ts') },
  peers: {
    measures: 'cut-outs beside other programs: CPU, speed, memory, quality, kinds of files',
    load: () => import('./peers.ts'),
    startsService: true,
  },
  load: {
    measures: 'more removals than can be done: who is let in, and what the others are told',
    load: () => import('./load.ts'),
    startsService: true,
  },
  look: { measures: 'the outfit engine, in process', load: () => import('./look.ts') },
  taxonomy: {
    measures: 'text classification: speed and accuracy',
    load: () => import('./taxonomy.ts'),
  },
};

interface Bench {
  run(argv: string[]): Promise<void>;
}

const program = new Command('bench').description(
  'Figures, as ratios of things measured side by side in one run. Without a name: gateway.',
);
for (const [name, { measures, load, startsService }] of Object.entries(BENCHES)) {
  program
    .command(name, { isDefault: name === 'gateway' })
    .description(measures)
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', 'see --help of the benchmark')
    .action(async (options: string[]) => {
      if (startsService) compile();
      await (await load()).run(options);
    });
}
await program.parseAsync();
