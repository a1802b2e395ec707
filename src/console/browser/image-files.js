/** Pixels with less alpha than this, of 255, are invisible. */
const MIN_VISIBLE_ALPHA = 12;
/** Longer side of a stored garment image, at most. */
const MAX_GARMENT_PIXELS = 640;

/** @param {number} width @param {number} height */
function createCanvas(width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('This browser has no 2D canvas');
  return { canvas, context };
}

/** @param {ImageBitmap} image @param {number} [maxPixels] of the longer side */
function drawScaled(image, maxPixels = Number.POSITIVE_INFINITY) {
  const scale = Math.min(1, maxPixels / Math.max(image.width, image.height));
  const drawn = createCanvas(image.width * scale, image.height * scale);
  drawn.context.imageSmoothingQuality = 'high';
  drawn.context.drawImage(image, 0, 0, drawn.canvas.width, drawn.canvas.height);
  return drawn;
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} as PNG */
const toBlob = (canvas) =>
  new Promise((resolve, reject) => {
    canvas.toBlob((blob) =>
      blob ? resolve(blob) : reject(new Error('The image could not be encoded')),
    );
  });

/**
 * Returns the bounding box of the visible pixels; the whole image if there are none.
 * @param {ImageData} pixels
 */
function visibleBox({ data, width, height }) {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if ((data[4 * (y * width + x) + 3] ?? 0) < MIN_VISIBLE_ALPHA) continue;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  }
  if (right < 0) return { left: 0, top: 0, width, height };
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/**
 * Returns a cut-out without its transparent margins, small enough to store.
 * @param {Blob} cutOut
 */
export async function trim(cutOut) {
  const image = await createImageBitmap(cutOut);
  const { canvas, context } = drawScaled(image, MAX_GARMENT_PIXELS);
  image.close();
  const box = visibleBox(context.getImageData(0, 0, canvas.width, canvas.height));
  const trimmed = createCanvas(box.width, box.height);
  trimmed.context.drawImage(canvas, -box.left, -box.top);
  return toBlob(trimmed.canvas);
}

/**
 * Scales an image down for a list.
 * @param {Blob} file
 * @param {number} maxPixels of the longer side
 */
export async function thumbnail(file, maxPixels) {
  const image = await createImageBitmap(file);
  const { canvas } = drawScaled(image, maxPixels);
  image.close();
  return toBlob(canvas);
}

/** @param {ImageBitmap} image */
export const toPng = (image) => toBlob(drawScaled(image).canvas);

/** Object URLs of files that are shown. @type {WeakMap<Blob, string>} */
const urls = new WeakMap();

/** Returns the object URL of a file, the same each time. @param {Blob} file */
export function urlOf(file) {
  const url = urls.get(file) ?? URL.createObjectURL(file);
  urls.set(file, url);
  return url;
}

/** Lets the memory of files go that are shown no more. @param {...(Blob | undefined)} files */
export function dropUrls(...files) {
  for (const file of files) {
    const url = file && urls.get(file);
    if (url) URL.revokeObjectURL(url);
    if (file) urls.delete(file);
  }
}

/**
 * Downloads a file.
 * @param {Blob} blob
 * @param {string} name
 */
export function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
