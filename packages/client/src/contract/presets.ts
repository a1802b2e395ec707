import type { CutOutOptions } from './removal.ts';
import type { ExportPolicy } from './review.ts';

/* Presets: named options of a client. */

/** What a preset has. */
export interface PresetRequest {
  options?: Omit<CutOutOptions, 'preset'> | undefined;
  /** Which cut-outs downloads of batches and feeds have by default. */
  export?: ExportPolicy | undefined;
}

/** Paths on the service. */
export interface PresetLinks {
  self: string;
}

/** Options that requests take by name. */
export interface Preset {
  name: string;
  options: Omit<CutOutOptions, 'preset'>;
  export?: ExportPolicy;
  changedAt: string;
  links: PresetLinks;
}

/** All presets of a client, by name. */
export interface PresetList {
  presets: Preset[];
}
