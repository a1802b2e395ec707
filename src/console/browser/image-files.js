/** Less than this is a rim that nobody sees, of 255. */
const SEEN_ALPHA = 12;
/** A garment of the wardrobe is kept no larger, pixels of the longer side. */
const KEPT_PIXELS = 640;

/** @param {number} width @param {number} height */
function canvasOf(width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('This browser draws no canvas');
  return { canvas, context };
}

/** @param {HTMLCanvasElement} canvas @param {string} type @returns {Promise<Blob>} */
const blobOf = (canvas, type) =>
  new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No picture'))), type, 0.85);
  });

/**
 * The box of what is not transparent.
 * @param {ImageData} pixels
 */
export function seenBox({ data, width, height }) {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if ((data[4 * (y * width + x) + 3] ?? 0) < SEEN_ALPHA) continue;
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
 * A cut-out without the empty space around it, small enough to be kept.
 * @param {Blob} cutOut
 */
export async function trimmed(cutOut) {
  const image = await createImageBitmap(cutOut);
  const scale = Math.min(1, KEPT_PIXELS / Math.max(image.width, image.height));
  const { canvas, context } = canvasOf(image.width * scale, image.height * scale);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  const box = seenBox(context.getImageData(0, 0, canvas.width, canvas.height));
  const small = canvasOf(box.width, box.height);
  small.context.drawImage(canvas, -box.left, -box.top);
  return blobOf(small.canvas, 'image/png');
}

/**
 * A picture made small for a list; pixels of the longer side.
 * @param {Blob} picture
 * @param {number} most
 */
export async function thumbnail(picture, most) {
  const image = await createImageBitmap(picture);
  const scale = Math.min(1, most / Math.max(image.width, image.height));
  const { canvas, context } = canvasOf(image.width * scale, image.height * scale);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  return blobOf(canvas, 'image/png');
}

/**
 * Hands a file to the person.
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
