import type { Call } from '../http/route.ts';
import { nearestLocale } from '../taxonomy/dictionary/locales.ts';
import type { Locale } from '../taxonomy/dictionary/schema.ts';

const DEFAULT: Locale = 'en';

/** Ranges of a header that are read: people have a handful, and a header may be 16 KiB. */
const MAX_RANGES = 20;
const MAX_HEADER_CHARS = 500;

const RANGE = /^\s*([a-z0-9*-]+)\s*(?:;\s*q=([\d.]+)\s*)?$/i;

/** Returns the language ranges of `Accept-Language`, the preferred first; those of weight 0 are none. */
function rangesOf(header: string): string[] {
  const ranges = header.slice(0, MAX_HEADER_CHARS).split(',').slice(0, MAX_RANGES);
  return ranges
    .flatMap((text) => {
      const [, tag = '', weight = '1'] = RANGE.exec(text) ?? [];
      return tag && Number(weight) > 0 ? [{ tag, weight: Number(weight) }] : [];
    })
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

/** Returns the language that the header `Accept-Language` prefers; English if it prefers none of ours. */
export function preferredLocale({ headers }: Pick<Call, 'headers'>): Locale {
  for (const range of rangesOf(String(headers['accept-language'] ?? ''))) {
    const found = nearestLocale(range);
    if (found) return found;
  }
  return DEFAULT;
}

/** The language of a response, and whether the request's headers chose it. */
export interface Language {
  locale: Locale;
  isNegotiated: boolean;
}

export const languageOf = (named: Locale | undefined, call: Pick<Call, 'headers'>): Language => ({
  locale: named ?? preferredLocale(call),
  isNegotiated: named === undefined,
});

export const languageHeaders = ({ locale, isNegotiated }: Language): Record<string, string> => ({
  'content-language': locale,
  ...(isNegotiated && { vary: 'Accept-Language' }),
});
