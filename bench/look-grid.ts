import { Command } from 'commander';
import { firstOutfit, gridCells } from '../test/look/grid.ts';
import { createRandom } from '../test/look/wardrobes.ts';

/** Prints how often the first outfit of a grid breaks a rule of common sense; or outfits, to be read. */
export async function run(argv: string[]): Promise<void> {
  const { sample, locale, seed } = new Command('bench look-grid')
    .description('First outfits of all weathers, occasions, plans, closets and activities')
    .option('--sample <n>', 'print so many outfits instead, to be read by a person', Number, 0)
    .option('--locale <tag>', 'language of what is printed', 'en')
    .option('--seed <n>', 'which outfits are printed', Number, 1)
    .parse(argv, { from: 'user' })
    .opts<{ sample: number; locale: string; seed: number }>();
  const cells = [...gridCells(locale)];
  if (sample > 0) {
    const random = createRandom(seed);
    for (let left = sample; left > 0; left--) {
      const cell = random.pick(cells);
      const { outfit, found } = firstOutfit(cell);
      console.log(
        `\n${cell.weather}; ${cell.occasion}, ${cell.met} met, ${cell.closet}; ${found.place.text}`,
      );
      console.log(
        outfit ? `  ${outfit.score}  ${outfit.name}: ${outfit.itemIds.join(', ')}` : '  none',
      );
      for (const { text } of outfit?.explanation ?? []) console.log(`    ${text}`);
      if (outfit?.shell?.needed)
        console.log(
          `    + ${JSON.stringify(outfit.shell.items.map(({ itemId }) => itemId))} ${outfit.shell.addIds}`,
        );
    }
    return;
  }
  const counts = { outfits: 0, none: 0, hard: 0, 'hard, with another left': 0, soft: 0 };
  const byRule = new Map<string, string[]>();
  for (const cell of cells) {
    const { outfit, hard, soft } = firstOutfit(cell);
    counts.outfits += 1;
    if (!outfit) counts.none += 1;
    if (hard.length > 0) {
      counts.hard += 1;
      const others = firstOutfit(cell, 20).found.outfits;
      if (
        others.some(({ explanation }) => !explanation.some(({ code }) => code.startsWith('sense.')))
      )
        counts['hard, with another left'] += 1;
    } else if (soft.length > 0) counts.soft += 1;
    for (const rule of [...hard, ...soft])
      byRule.set(rule, [
        ...(byRule.get(rule) ?? []),
        `${cell.weather}; ${cell.occasion} ${cell.plan} ${cell.met} ${cell.closet}: ${outfit?.itemIds.join(' ')}`,
      ]);
    if (!outfit)
      byRule.set('none', [
        ...(byRule.get('none') ?? []),
        `${cell.weather}; ${cell.occasion} ${cell.plan} ${cell.met} ${cell.closet}`,
      ]);
  }
  console.log(counts);
  for (const [rule, where] of byRule) console.log(rule, where.length, where.slice(0, 4));
}
