import type { Locale } from '../../taxonomy/dictionary/schema.ts';

/** A text in every language; `{name}` stands for a value. */
export type Text = Readonly<Record<Locale, string>>;

/** Returns a text with its values filled in. */
export const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

const formats = new Map<string, Intl.NumberFormat>();

/** Returns a number as a language writes it: 0.5 is `0,50` in German. */
export function formatNumber(value: number, locale: Locale, decimals: number): string {
  const key = `${locale} ${decimals}`;
  const cached = formats.get(key);
  if (cached) return cached.format(value);
  const fresh = new Intl.NumberFormat(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  formats.set(key, fresh);
  return fresh.format(value);
}
