/** Served by `../serve.ts`, which makes it from the table of options. */
/** Of options, by name. */
declare const DEFAULTS: Readonly<Record<'quality' | 'format' | 'shadow', string>>;
declare const FORMATS: readonly string[];
declare const QUALITIES: readonly string[];
declare const SHADOWS: readonly string[];
/** Of file names, by media type. */
declare const EXTENSIONS: Readonly<Record<string, string>>;

/** Kinds and formats of feeds. */
declare const FEED_PRESETS: readonly string[];
declare const FEED_FORMATS: readonly string[];

/** Where people sign in without a key, if they may. */
declare const PROVIDER: Readonly<Record<'name' | 'signIn' | 'signOut', string>> | undefined;

export { DEFAULTS, EXTENSIONS, FEED_FORMATS, FEED_PRESETS, FORMATS, PROVIDER, QUALITIES, SHADOWS };
