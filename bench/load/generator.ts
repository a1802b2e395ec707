import { createRandom } from '../../test/faults/random.ts';
import { closedLoop, flood, oneByOne } from './deeds.ts';
import { Order } from './order.ts';
import { openTarget, type Target } from './target.ts';

/** The process that sends: it shares its event loop with nothing that it measures. */
let target: Target | undefined;

async function obey(order: Order): Promise<unknown> {
  if (order.deed === 'open') {
    target = await openTarget(order.url, order.keys);
    return {};
  }
  if (!target) throw new Error('no target was opened');
  if (order.deed === 'one-by-one') return oneByOne(target, order.count);
  if (order.deed === 'closed-loop') return closedLoop(target, order.lanes, order.seconds);
  return flood(target, order, createRandom(order.seed));
}

process.on('message', async (message) => {
  const answer = await obey(Order.parse(message)).then(
    (done) => ({ done }),
    (error) => ({ fault: String(error) }),
  );
  process.send?.(answer);
});
process.on('disconnect', () => process.exit());
