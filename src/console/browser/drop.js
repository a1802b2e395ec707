/**
 * Returns the web addresses that were pasted or dropped, one a line; none if there is anything else.
 * @param {DataTransfer | null} data
 */
export function linksIn(data) {
  const text = data?.getData('text/uri-list') || data?.getData('text/plain') || '';
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  const links = lines.filter((line) => !line.startsWith('#')); // comments of a text/uri-list
  const areWeb = links.every((link) => /^https?:\/\/\S+$/i.test(link) && URL.canParse(link));
  return areWeb ? links : [];
}

/**
 * Calls `take` with the files chosen in a drop zone or dropped on it, and with the web addresses that were.
 * @param {HTMLElement} zone a label around a file input
 * @param {(files: File[], links: string[]) => void} take
 * @param {HTMLElement} [area] accepts drops; the zone by default
 */
export function takeFiles(zone, take, area = zone) {
  const input = /** @type {HTMLInputElement} */ (zone.querySelector('input[type="file"]'));
  input.addEventListener('change', () => {
    take([...(input.files ?? [])], []);
    input.value = ''; // choosing the same file again must fire `change`, too
  });
  area.addEventListener('dragover', (event) => {
    event.preventDefault();
    zone.classList.add('is-over');
  });
  area.addEventListener('dragleave', (event) => {
    const isWithin = event.relatedTarget instanceof Node && area.contains(event.relatedTarget);
    if (!isWithin) zone.classList.remove('is-over');
  });
  area.addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('is-over');
    take([...(event.dataTransfer?.files ?? [])], linksIn(event.dataTransfer));
  });
}

/** Ignores files dropped outside a drop zone: the browser would open them instead of the page. */
export function ignoreOtherDrops() {
  for (const name of ['dragover', 'drop']) {
    addEventListener(name, (event) => event.preventDefault());
  }
}
