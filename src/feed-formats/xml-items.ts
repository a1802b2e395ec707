import { SaxesParser } from 'saxes';
import { regularXml } from './loose-xml.ts';

/** How far below an item names are looked at. */
const LEVELS = 3;

const localName = (name: string): string => name.replace(/^.*:/, '');

/**
 * Returns the elements at the beginning of an XML document, by their paths of local names in the order of the
 * document, each with the names of what is in it: `id`, `images/image`, `@id`.
 */
export function xmlPaths(head: string): Map<string, Set<string>> {
  const paths = new Map<string, Set<string>>();
  const open: { path: string; local: string }[] = [];
  const parser = new SaxesParser();
  const labelsOf = (path: string): Set<string> => {
    const labels = paths.get(path) ?? new Set();
    paths.set(path, labels);
    return labels;
  };
  parser.on('error', () => {}); // it goes on; what is wrong is said when the feed is read
  parser.on('opentag', ({ name, attributes }) => {
    const local = localName(name);
    const path = [...open.map((each) => each.local), local].join('/');
    for (let level = 1; level <= Math.min(LEVELS, open.length); level++) {
      const label = [...open.slice(open.length - level + 1).map((each) => each.local), local];
      labelsOf(open.at(-level)!.path).add(label.join('/'));
    }
    open.push({ path, local });
    const own = labelsOf(path);
    for (const attribute of Object.keys(attributes)) own.add(`@${attribute}`);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(regularXml(head, () => {}));
  return paths;
}
