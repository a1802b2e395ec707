const MAX_PATH_CHARS = 300;

/**
 * Returns a shop's own category path as such paths are compared: "Damen / Kleider" and "damen &gt; kleider" are one.
 * Undefined if it has no letter or number. Of a very long path only the start counts.
 */
export function shopPath(path: string | undefined): string | undefined {
  const steps = (path ?? '')
    .slice(0, 2 * MAX_PATH_CHARS)
    .normalize('NFKC')
    .replaceAll(/&(gt|amp);/gi, (_, name: string) => (name.toLowerCase() === 'gt' ? '>' : '&'))
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .toLowerCase()
    .split(/[>›»|/]/)
    .map((step) => step.trim())
    .filter((step) => /[\p{L}\p{N}]/u.test(step));
  const normalised = steps
    .join(' > ')
    .slice(0, MAX_PATH_CHARS)
    .replace(/[\uD800-\uDBFF]$/, '');
  return normalised || undefined;
}
