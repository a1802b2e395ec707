/**
 * Files chosen in a drop zone, or dropped on it.
 * @param {HTMLElement} zone a label around a file input
 * @param {(files: File[]) => void} take
 * @param {HTMLElement} [area] where files may be dropped, if that is more than the zone
 */
export function takeFiles(zone, take, area = zone) {
  const input = /** @type {HTMLInputElement} */ (zone.querySelector('input[type="file"]'));
  input.addEventListener('change', () => {
    take([...(input.files ?? [])]);
    input.value = ''; // the same file again is a choice, too
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
    take([...(event.dataTransfer?.files ?? [])]);
  });
}

/** A file dropped beside a drop zone must not take the page's place. */
export function refuseStrayDrops() {
  for (const name of ['dragover', 'drop']) {
    addEventListener(name, (event) => event.preventDefault());
  }
}
