import { z } from 'zod';
import { LOCALES, type Locale } from './schema.ts';

/** The longest tag that RFC 5646 asks an implementation to take. */
const MAX_TAG_CHARS = 35;

/**
 * Returns the language nearest to a language tag, such as `de` for `de-AT` or `DE_at`; undefined if
 * there is none. The lookup of RFC 4647, section 3.4: the tag is shortened from its end.
 */
export function nearestLocale(tag: string): Locale | undefined {
  if (tag.length > MAX_TAG_CHARS) return undefined;
  const subtags = tag.trim().toLowerCase().split(/[-_]/);
  for (; subtags.length > 0; subtags.pop()) {
    const found = LOCALES.find((locale) => locale === subtags.join('-'));
    if (found) return found;
  }
  return undefined;
}

/** The languages as people read them in errors. */
const oneOf = () => `must be one of ${LOCALES.join(', ')}`;

/** A language tag in a request, read as the nearest language. */
export const LocaleTag = z
  .string()
  .transform((tag) => nearestLocale(tag) ?? tag)
  .pipe(z.enum(LOCALES, { error: oneOf }))
  .meta({
    id: 'LocaleTag',
    description: `${LOCALES.join(', ')}, or a tag such as \`de-AT\`, which finds the nearest; by default what \`Accept-Language\` prefers, else \`en\``,
  });
