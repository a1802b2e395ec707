import type { CutOutOptions } from '../../output/options.ts';
import type { JobResult } from '../../queue/catalog.ts';
/** A drawn T-shirt by format, as base64: a gateway has no library that draws. */
import drawn from './drawn.json' with { type: 'json' };

const SIZE = { width: 240, height: 300 };
const FOREGROUND = { left: 36, top: 42, width: 168, height: 216 };

/** Returns a drawn cut-out in the format that is asked for; whatever was sent, it is the same. */
export function drawnCutOut({ format = 'png' }: { format?: CutOutOptions['format'] | 'png' }): {
  file: Uint8Array;
  result: JobResult<'remove-background'>;
  picture?: undefined;
} {
  const file = Buffer.from(drawn[format], 'base64');
  const result = {
    ...SIZE,
    model: 'drawn@1',
    millis: {},
    bytes: file.length,
    mediaType: `image/${format}` as const,
    whole: SIZE,
    foreground: FOREGROUND,
    confidence: 0.98,
    review: { needed: false, reasons: [] },
  };
  return { file, result };
}
