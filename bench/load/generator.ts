import { createRandom } from '../../test/faults/random.ts';
import { GeneratorCommand } from './generator-client.ts';
import { openTarget, type Target } from './target.ts';
import { closedLoop, flood, oneByOne } from './workloads.ts';

/** This process generates the load: its event loop serves nothing that is measured. */
let target: Target | undefined;

async function run(command: GeneratorCommand): Promise<unknown> {
  if (command.name === 'open') {
    target = await openTarget(command.url, command.keys);
    return {};
  }
  if (!target) throw new Error('no target was opened');
  if (command.name === 'one-by-one') return oneByOne(target, command.count);
  if (command.name === 'closed-loop') return closedLoop(target, command.lanes, command.seconds);
  return flood(target, command, createRandom(command.seed));
}

process.on('message', async (message) => {
  const reply = await run(GeneratorCommand.parse(message)).then(
    (result) => ({ result }),
    (error) => ({ error: String(error) }),
  );
  process.send?.(reply);
});
process.on('disconnect', () => process.exit());
