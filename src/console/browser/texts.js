/** The languages of the page, each a file of `texts`. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl'];
/** Where the browser keeps the choice. */
export const STORED = 'selvage-language';

/**
 * @typedef {keyof typeof import('./texts/en.json')} TextName
 * @typedef {Readonly<Record<string, string | number>>} Values
 */

/** The language that was chosen here, else the first of the browser's that there is. */
function findLanguage() {
  // Tests of single modules run where there is neither.
  const { localStorage, navigator } = /** @type {any} */ (globalThis);
  const wanted = [localStorage?.getItem(STORED), ...(navigator?.languages ?? [])];
  const found = wanted.map((tag) => String(tag).split('-', 1)[0] ?? '');
  return found.find((tag) => LANGUAGES.includes(tag)) ?? 'en';
}

/** The language of the page. */
export const language = findLanguage();

/** @type {Readonly<Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>>} */
const texts = (await import(`./texts/${language}.json`, { with: { type: 'json' } })).default;
const plurals = new Intl.PluralRules(language);

/**
 * Returns a text, if there is one of this name, with its values filled in: numbers as the language writes them. One
 * with several forms takes that of `count`.
 * @param {string} name @param {Values} [values]
 * @returns {string | undefined}
 */
export function textOf(name, values = {}) {
  const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
  const form =
    typeof text === 'object' ? (text[plurals.select(Number(values.count))] ?? text.other) : text;
  return form?.replaceAll(/\{(\w+)\}/g, (_, key) => {
    const value = values[key] ?? '';
    return typeof value === 'number' ? formatNumber(value) : value;
  });
}

/** Returns a text with its values filled in, as `textOf`. @param {TextName} name @param {Values} [values] */
export const say = (name, values) => textOf(name, values) ?? name;

/** @param {number} value @param {number} [decimals] */
export const formatNumber = (value, decimals) =>
  value.toLocaleString(
    language,
    decimals === undefined
      ? {}
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals },
  );

/** A share from below, so that what is not all is not 100 %. @param {number} share 0..1 @param {number} [decimals] */
export const formatPercent = (share, decimals = 0) =>
  (Math.floor(share * 100 * 10 ** decimals) / (100 * 10 ** decimals)).toLocaleString(language, {
    style: 'percent',
    minimumFractionDigits: decimals,
  });

/** @param {string} instant ISO 8601 @param {Intl.DateTimeFormatOptions} [style] date and time by default */
export const formatDate = (instant, style = { dateStyle: 'medium', timeStyle: 'short' }) =>
  new Date(instant).toLocaleString(language, style);

/** @param {readonly string[]} words */
export const formatList = (words) => new Intl.ListFormat(language).format(words);
