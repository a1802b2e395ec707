import { byId, fill, h } from '../element.js';
import { may } from '../rights.js';
import { say, textOf } from '../texts.js';
import { ListView } from './list-view.js';
import { LISTS } from './lists.js';

/** Read-only, of all clients; it asks for a key itself. */
const QUEUES = { path: '/ops/queues', needs: ['operations:read'] };

const allowed = () => LISTS.filter(({ needs }) => may(needs));

/** Whether the key may see any of the lists. */
export const mayOperate = () => allowed().length > 0 || may(QUEUES.needs);

/** Shows the list that the address names, else the first that the key may see. */
function draw() {
  const lists = allowed();
  const [, name] = /^#\/operate\/([\w-]+)/.exec(location.hash) ?? [];
  const list = lists.find((each) => each.name === name) ?? lists[0];
  fill(
    byId('operate-lists'),
    lists.map((each) =>
      h(
        'a',
        { href: `#/operate/${each.name}`, 'aria-current': each === list && 'page' },
        textOf(`lists.${each.name}`),
      ),
    ),
    may(QUEUES.needs) && h('a', { href: QUEUES.path }, say('lists.queues')),
  );
  if (!list) return;
  const view = new ListView(list);
  fill(byId('operate'), view.node);
  view.read();
}

/** Opens the page of what an operator or a client manages. */
export function openOperate() {
  draw();
  return draw;
}
