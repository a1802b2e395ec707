/** Served by `../serve.ts`, which makes it from the table of options. */
interface Choice {
  value: string;
  label: string;
}
/** Of options, by name. */
declare const DEFAULTS: Readonly<Record<'quality' | 'format' | 'shadow', string>>;
declare const FORMATS: readonly Choice[];
declare const QUALITIES: readonly Choice[];
declare const SHADOWS: readonly Choice[];
/** Of file names, by media type. */
declare const EXTENSIONS: Readonly<Record<string, string>>;

/** Kinds and formats of feeds. */
declare const FEED_PRESETS: readonly string[];
declare const FEED_FORMATS: readonly string[];

export { DEFAULTS, EXTENSIONS, FEED_FORMATS, FEED_PRESETS, FORMATS, QUALITIES, SHADOWS };
