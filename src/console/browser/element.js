const SVG = 'http://www.w3.org/2000/svg';

/**
 * @typedef {Node | string | number | undefined | null | false} Child
 * @typedef {Record<string, unknown>} Props attributes by name; `on…` adds a listener, `--…` sets a CSS
 *   property, `true` is an empty attribute; undefined, null and false are left out
 */

/**
 * @param {Element} node
 * @param {Props} props
 */
function apply(node, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') {
      node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (name.startsWith('--')) {
      /** @type {HTMLElement} */ (node).style.setProperty(name, String(value));
    } else {
      node.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

/**
 * Creates an element with its attributes and children. Text stays text: nothing is parsed as HTML. A button submits its
 * form only if its type says so.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T | `${T}.${string}`} selector a tag with its classes: `p.fine`
 * @param {...(Props | Child | Child[])} content its attributes, if they come first, then its children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(selector, ...content) {
  const [tag, ...classes] = selector.split('.');
  const node = document.createElement(/** @type {T} */ (tag));
  if (classes.length > 0) node.className = classes.join(' ');
  if (node instanceof HTMLButtonElement) node.type = 'button';
  const [first] = content;
  if (isProps(first)) apply(node, first);
  node.append(...toNodes(isProps(first) ? content.slice(1) : content));
  return node;
}

/** @param {Props | Child | Child[]} value @returns {value is Props} */
const isProps = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Node);

/**
 * Creates an SVG element.
 * @param {string} tag
 * @param {Props} [props]
 * @param {...(Child | Child[])} children
 */
export function svg(tag, props = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  apply(node, props);
  node.append(...toNodes(children));
  return node;
}

/**
 * A drawing of one line, as buttons have.
 * @param {string} path @param {number} [size] of its grid
 */
export const icon = (path, size = 24) =>
  svg('svg', { viewBox: `0 0 ${size} ${size}`, 'aria-hidden': true }, svg('path', { d: path }));

/** @param {readonly string[]} words */
export const tags = (words) =>
  h(
    'ul.tags',
    words.map((word) => h('li.tag', word)),
  );

/** @param {(Props | Child | Child[])[]} children */
const toNodes = (children) =>
  children
    .flat()
    .filter((child) => child !== undefined && child !== null && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));

/**
 * Returns the element of the page with this id.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @param {{ new (): T }} [kind]
 * @returns {T}
 */
export function byId(id, kind) {
  const node = document.getElementById(id);
  if (!node || (kind && !(node instanceof kind))) throw new Error(`The page has no ${id}`);
  return /** @type {T} */ (node);
}

/**
 * Replaces all children of an element.
 * @param {Element} node
 * @param {...(Child | Child[])} children
 */
export const fill = (node, ...children) => node.replaceChildren(...toNodes(children));

/**
 * Shows a dialog until it is closed.
 * @param {Props} props @param {...(Child | Child[])} children
 */
export function openDialog(props, ...children) {
  const dialog = h('dialog', props, ...children);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Announces text to screen readers.
 * @param {string} text
 */
export const announce = (text) => {
  byId('announcement').textContent = text;
};

/**
 * Gives an element the focus if what had it is gone; else it stays where the user put it.
 * @param {HTMLElement | null} node
 */
export function focusIfLost(node) {
  if (document.activeElement === document.body) node?.focus();
}
