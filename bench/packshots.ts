import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { drawPackshot } from './packshots/draw.ts';
import { DRAWINGS, type DrawingName } from './packshots/drawings.ts';

/**
 * Writes drawn pictures of goods, their exact mattes and a `manifest.json` into a folder.
 * @param count pictures of each kind
 */
export async function writePackshots(folder: string, count: number, seed: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const items: { kind: string; image: string; mask: string }[] = [];
  for (const name of Object.keys(DRAWINGS) as DrawingName[])
    for (let n = 0; n < count; n++) {
      const { image, alpha } = await drawPackshot(name, seed * 10_007 + n);
      const item = { kind: `drawn-${name}`, image: `${name}-${n}.jpg`, mask: `${name}-${n}.png` };
      await writeFile(join(folder, item.image), image);
      await writeFile(join(folder, item.mask), alpha);
      items.push(item);
    }
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ items }, undefined, 1));
}

/** Draws packshots with exact mattes. */
export async function run(argv: string[]): Promise<void> {
  const { out, count, seed } = new Command('bench packshots')
    .description(
      'Draws pictures of goods on even grounds, with exact mattes, to judge cut-outs by.',
    )
    .requiredOption('--out <folder>', 'where to, with a manifest.json')
    .option('--count <n>', 'pictures of each kind', Number, 10)
    .option('--seed <n>', 'the same pictures for the same seed', Number, 1)
    .parse(argv, { from: 'user' })
    .opts<{ out: string; count: number; seed: number }>();
  await writePackshots(out, count, seed);
}
