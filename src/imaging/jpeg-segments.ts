export interface JpegSegment {
  marker: number;
  /** Offset of its marker. */
  start: number;
  /** Offset behind it. */
  end: number;
}

export const START_OF_SCAN = 0xda;

/** Segments and fill bytes that are looked at in a row. Metadata of 20 MiB in the longest segments are 320. */
const MAX_STEPS = 8192;
/** Bytes in front of a segment that belong to none. */
const MAX_JUNK_BYTES = 65_536;

/** Start of frame, SOF0 to SOF15; C4, C8 and CC in their midst mean something else. */
export const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Frame, tables, scan and metadata. */
const hasLength = (marker: number): boolean =>
  isFrame(marker) || marker === 0xc4 || marker === 0xcc || marker >= START_OF_SCAN;

/** Stuffing, TEM, and the restart marks RST0 to RST7. */
const isAlone = (marker: number): boolean => marker < 2 || (marker >= 0xd0 && marker <= 0xd7);

/**
 * The segments of a JPEG one after the other, up to what is none: a scan's data, the end mark, damage, the end of the
 * file. Like decoders it passes over bytes between two segments. Contents of segments are not looked at.
 * @param from where to begin; behind the start mark by default
 */
export function* jpegSegments(bytes: Uint8Array, from = 2): Generator<JpegSegment> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = from;
  let junk = MAX_JUNK_BYTES;
  for (let step = 0; step < MAX_STEPS; step++) {
    if (bytes[at] !== 0xff) {
      const skipped = bytes.subarray(at, at + junk).indexOf(0xff);
      if (skipped < 0) return;
      junk -= skipped;
      at += skipped;
    }
    if (at + 4 > bytes.length) return;
    const word = view.getUint32(at);
    const marker = (word >>> 16) & 0xff;
    const length = word & 0xffff;
    if (marker === 0xff) at += 1;
    else if (isAlone(marker)) at += 2;
    else if (!hasLength(marker) || length < 2) return;
    else {
      const end = at + 2 + length;
      yield { marker, start: at, end };
      at = end;
    }
  }
}
