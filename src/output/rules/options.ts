import { FORMAT_NAMES, FORMATS } from '../formats.ts';
import { type CutOutOptions, formatOf } from '../options.ts';
import type { RulePack } from './pack.ts';

/** Tried in this order: files without alpha are small. */
const FORMAT_ORDER = FORMAT_NAMES.toSorted(
  (a, b) => Number(FORMATS[a].hasAlpha) - Number(FORMATS[b].hasAlpha),
);

/** Returns the options with a format that a pack allows. */
function withAllowedFormat(options: CutOutOptions, { rules }: RulePack): CutOutOptions {
  const allowed: readonly string[] | undefined = rules['file-type'];
  if (!allowed || allowed.includes(formatOf(options).mediaType)) return options;
  const format = FORMAT_ORDER.find((name) => allowed.includes(FORMATS[name].mediaType));
  const { format: _, ...rest } = options;
  return format === 'png' || format === undefined ? rest : { ...rest, format };
}

/** Returns options with the pack that they name. If they fix the output, its format is settled here: keys depend on it. */
export function withRulePack(options: CutOutOptions, rulePack: RulePack): CutOutOptions {
  const judged = { ...options, rulePack };
  return options.fixRules ? withAllowedFormat(judged, rulePack) : judged;
}
