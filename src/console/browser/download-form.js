import { downloadZip } from './client-zip.js';
import { fill, h } from './element.js';
import { attempt } from './error-box.js';
import { save } from './image-files.js';
import { EXTENSIONS } from './options.js';
import { rulesVerdict } from './rules-verdict.js';
import { say } from './texts.js';
import { removeBackground } from './upload.js';

/**
 * @typedef {import('./upload.js').Upload} Upload
 * @typedef {import('./look.js').Look} Look
 */

/** @param {Blob} blob @param {string} name of the photo */
export const fileName = (blob, name) => `${name}-cut-out.${EXTENSIONS[blob.type] ?? 'png'}`;

/**
 * Returns the file of this look, if it is there: the cut-out itself, or what was drawn last.
 * @param {Pick<Upload, 'cutOut' | 'options' | 'made'>} upload @param {Look} look
 */
export function fileOf({ cutOut, options, made }, look) {
  const key = JSON.stringify(look.read());
  if (key === JSON.stringify(options)) return cutOut;
  return made?.key === key ? made.blob : undefined;
}

/**
 * Returns the file of this look; the service draws it from the photo if it is not there.
 * @param {Upload} upload @param {Look} look @param {(seconds: number) => void} [onWait]
 */
export async function makeFile(upload, look, onWait) {
  const there = fileOf(upload, look);
  if (there) return there;
  const options = look.read();
  const response = await removeBackground(upload, options, onWait);
  const rules = response.headers.get('x-cutout-rules');
  const blob = await response.blob();
  upload.made = { key: JSON.stringify(options), blob, rules };
  return blob;
}

/**
 * Downloads the files of this look as one archive. One that fails is left out, and told.
 * @param {readonly Upload[]} uploads @param {Look} look @param {(done: number) => void} onProgress
 * @returns {Promise<string[]>} the names of those that failed
 */
export async function downloadAll(uploads, look, onProgress) {
  /** @type {Map<string, Blob>} */
  const files = new Map();
  const failed = [];
  for (const [i, upload] of uploads.entries()) {
    onProgress(i);
    try {
      const file = await makeFile(upload, look);
      let name = fileName(file, upload.name);
      for (let n = 2; files.has(name); n++) name = fileName(file, `${upload.name}-${n}`);
      files.set(name, file);
    } catch {
      failed.push(upload.name);
    }
  }
  const entries = [...files].map(([name, input]) => ({ name, input, lastModified: new Date() }));
  if (entries.length > 0) save(await downloadZip(entries).blob(), 'cut-outs.zip');
  return failed;
}

/**
 * How the cut-out looks, and its download: what is previewed is what is downloaded.
 * @param {Look} look
 * @param {() => Upload | undefined} selected
 * @param {() => void} onMade
 */
export function downloadForm(look, selected, onMade) {
  const errorPlace = h('div');
  const verdict = h('div.fine', { role: 'status', id: 'cut-verdict' });
  const download = h('button.primary', { type: 'submit' }, say('download.submit'));
  const preview = h('button', { onclick: () => make() }, say('download.preview'));
  const cost = h('p.fine', say('download.cost'));

  /** @param {boolean} [isSaved] */
  async function make(isSaved = false) {
    const upload = selected();
    if (!upload) return;
    download.disabled = preview.disabled = true;
    await attempt(errorPlace, async () => {
      const file = await makeFile(upload, look, (seconds) => {
        download.textContent = say('download.busy', { seconds });
      });
      onMade();
      if (isSaved) save(file, fileName(file, upload.name));
    });
    download.disabled = preview.disabled = false;
    download.textContent = say('download.submit');
  }

  /** Says what is known of the file of this look. */
  function show() {
    const upload = selected();
    const file = upload && fileOf(upload, look);
    preview.hidden = cost.hidden = file !== undefined;
    const made = file && upload?.made;
    fill(verdict, ...rulesVerdict(made?.blob === file ? made?.rules : undefined));
  }

  const node = h(
    'form.panel.stack',
    {
      'aria-label': say('download.title'),
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        make(true);
      },
    },
    look.node,
    cost,
    h('div.buttons', download, preview),
    verdict,
    errorPlace,
  );
  return { node, show };
}
