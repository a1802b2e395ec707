import { SaxesParser } from 'saxes';
import { regularXml } from './loose-xml.ts';

/** How far below an item names are looked at. */
const LEVELS = 4;

const localName = (name: string): string => name.replace(/^.*:/, '');

/**
 * Returns the elements at the beginning of an XML document, by their paths of local names in the order of the
 * document, each with the names of what is in it: `id`, `images/image`, `@id`.
 */
export function xmlPaths(head: string): Map<string, Set<string>> {
  const paths = new Map<string, Set<string>>();
  const open: { path: string; local: string; isNamed: boolean }[] = [];
  const parser = new SaxesParser();
  const labelsOf = (path: string): Set<string> => {
    const labels = paths.get(path) ?? new Set();
    paths.set(path, labels);
    return labels;
  };
  parser.on('error', () => {}); // it goes on; what is wrong is said when the feed is read
  /** Adds a name within the innermost `depth` open elements, and those around it. */
  function addName(depth: number, name: string): void {
    for (let level = 1; level <= Math.min(LEVELS, depth); level++) {
      const within = open.slice(depth - level + 1, depth).map((each) => each.local);
      labelsOf(open[depth - level]!.path).add([...within, name].join('/'));
    }
  }
  /** An element that has attributes, and nothing else, is no value itself. */
  function addElement(text = 'x'): void {
    const element = open.at(-1);
    if (!element || element.isNamed || text.trim() === '') return;
    element.isNamed = true;
    addName(open.length - 1, element.local);
  }
  parser.on('opentag', ({ name, attributes }) => {
    const local = localName(name);
    const path = [...open.map((each) => each.local), local].join('/');
    open.push({ path, local, isNamed: false });
    labelsOf(path);
    const names = Object.keys(attributes);
    for (const attribute of names) addName(open.length, `@${localName(attribute)}`);
    if (names.length === 0) addElement();
  });
  parser.on('text', addElement);
  parser.on('cdata', addElement);
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(regularXml(head, () => {}));
  return paths;
}
