import { readTable } from '../taxonomy/tables.ts';

/**
 * How a client computes the targets from the coefficients, in data/look/equations.tsv. Names with a dot are coefficients,
 * names of tables stand as they are; `p(t) = exp(vapour.a − vapour.b/(t + vapour.c))` is in kPa; `ramp(table, x)` is
 * linear between rows and constant beyond them.
 */
export const EQUATIONS: readonly { id: string; text: string }[] = readTable('look/equations').map(
  ([id = '', text = '']) => ({ id, text }),
);
