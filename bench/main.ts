import { Command } from 'commander';
import { compileAll } from '../test/support/compile-all.ts';

/** Every benchmark: what it measures, its file, and whether it starts the compiled service. */
const BENCHES: Readonly<
  Record<string, { measures: string; load(): Promise<Bench>; startsService?: true }>
> = {
  gateway: {
    measures: 'overhead of gateway, queue and storage; event loop lag; parallel requests; memory',
    load: () => import('./gateway.ts'),
    startsService: true,
  },
  engine: {
    measures: 'images through the inference children',
    load: () => import('./engine.ts'),
  },
  bulk: {
    measures: 'a batch of image URLs compared with the bare inference loop',
    load: () => import('./bulk.ts'),
    startsService: true,
  },
  batch: {
    measures: 'the upload of a catalogue: duration and memory of the gateway',
    load: () => import('./batch.ts'),
    startsService: true,
  },
  feed: {
    measures: 'the import of a feed, and a second one without changes',
    load: () => import('./feed.ts'),
    startsService: true,
  },
  links: {
    measures: 'a published link on S3 and on a file store, by turns',
    load: () => import('./links.ts'),
    startsService: true,
  },
  recovery: {
    measures: 'jobs that Redis has lost, restored from files or S3',
    load: () => import('./recovery.ts'),
  },
  'large-pictures': {
    measures: 'memory before, while and after pictures of 50 megapixels, and after a rest',
    load: () => import('./large-pictures.ts'),
    startsService: true,
  },
  memory: {
    measures: 'memory of npm start and of another program, shared pages counted once',
    load: () => import('./memory.ts'),
    startsService: true,
  },
  quality: {
    measures: 'cut-outs against ground truth, by kind of photo, for any catalogue model',
    load: () => import('./quality.ts'),
  },
  packshots: {
    measures: 'nothing: draws packshots with exact mattes, to judge cut-outs by',
    load: () => import('./packshots.ts'),
  },
  garments: {
    measures: 'garments told apart against labelled photos, and their CPU beside a cut-out',
    load: () => import('./garments.ts'),
  },
  crops: {
    measures:
      'nothing: writes garments of photos as the engine looks at them, to train the classifier',
    load: () => import('./crops.ts'),
  },
  duplicates: {
    measures:
      'which copies of a picture are known by its fingerprint, and the search of a batch for them',
    load: () => import('./duplicates.ts'),
  },
  review: {
    measures: 'which cut-outs a person is asked to look at, and why',
    load: () => import('./review.ts'),
  },
  strokes: {
    measures: 'how many strokes of a brush mend a faulty cut-out, and what they cost',
    load: () => import('./strokes.ts'),
  },
  rules: {
    measures: 'faults planted into pictures of a shop: found and made right',
    load: () => import('./rules.ts'),
  },
  compare: {
    measures: 'any of these, alternating an earlier commit and this tree',
    load: () => import('./compare.ts'),
  },
  pixels: { measures: 'CPU time of each step of a cut-out', load: () => import('./pixels.ts') },
  peers: {
    measures: 'comparison with other programs: CPU, speed, memory, quality, file types',
    load: () => import('./peers.ts'),
    startsService: true,
  },
  load: {
    measures: 'overload: waits, rejections, accuracy of Retry-After',
    load: () => import('./load.ts'),
    startsService: true,
  },
  fairness: {
    measures: 'an honest client alone, and beside others with heavy work',
    load: () => import('./fairness.ts'),
    startsService: true,
  },
  look: { measures: 'the outfit engine, in process', load: () => import('./look.ts') },
  'look-grid': {
    measures: 'first outfits of a grid that break rules of common sense; prints some to be read',
    load: () => import('./look-grid.ts'),
  },
  'look-load': {
    measures: '/livez and removals while large wardrobes are computed',
    load: () => import('./look-load.ts'),
    startsService: true,
  },
  votes: {
    measures: 'how warm people said they felt against what the engine predicts',
    load: () => import('./votes.ts'),
  },
  taxonomy: {
    measures: 'text classification: speed and accuracy',
    load: () => import('./taxonomy.ts'),
  },
  nouns: {
    measures: 'nothing: gathers nouns of things that nobody wears, for data/taxonomy/nouns.tsv',
    load: () => import('./nouns.ts'),
  },
};

interface Bench {
  run(argv: string[]): Promise<void>;
}

const program = new Command('bench').description('Runs a benchmark. The default is gateway.');
for (const [name, { measures, load, startsService }] of Object.entries(BENCHES)) {
  program
    .command(name, { isDefault: name === 'gateway' })
    .description(measures)
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', 'see --help of the benchmark')
    .action(async (options: string[]) => {
      if (startsService) await compileAll();
      await (await load()).run(options);
    });
}
await program.parseAsync();
