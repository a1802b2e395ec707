import type { Size } from '../../src/imaging/layout.ts';
import type { Foreground, MediaType } from '../../src/output/options.ts';
import type { RulesReport } from '../../src/output/rules/verdicts.ts';

/** A cut-out as a file. */
export interface RenderedFile {
  file: Uint8Array;
  mediaType: MediaType;
  width: number;
  height: number;
  /** The size without `maxOutputMegapixels`. */
  whole: Size;
  /** The bounding box of the subject in it; absent if there is none. */
  foreground?: Foreground | undefined;
  /** If the options have rules. */
  rules?: RulesReport | undefined;
}
