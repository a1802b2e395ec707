/** Served by `../serve.ts`, which makes it from the table of options. */
interface Choice {
  value: string;
  label: string;
}
declare const FORMATS: readonly Choice[];
declare const SHADOWS: readonly Choice[];
/** Of file names, by media type. */
declare const EXTENSIONS: Readonly<Record<string, string>>;

export { EXTENSIONS, FORMATS, SHADOWS };
