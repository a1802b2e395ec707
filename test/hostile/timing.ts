import { Agent, request } from 'node:http';
import { crc32 as crc } from 'node:zlib';
import { Command } from 'commander';
import { median } from '../../bench/statistics.ts';
import { mintKey } from '../../src/auth/key-record.ts';
import { startStack } from '../support/stack.ts';

const PATH = '/intake/v1/usage';
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Measures one request with a key, microseconds. */
function micros(url: string, agent: Agent, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = process.hrtime.bigint();
    const headers = { authorization: `Bearer ${key}` };
    request(`${url}${PATH}`, { agent, headers }, (response) => {
      response.resume().on('end', () => resolve(Number(process.hrtime.bigint() - startedAt) / 1e3));
    })
      .on('error', reject)
      .end();
  });
}

/** A key with valid form and checksum that shares its first characters with a known one. */
function sharing(known: string, letters: number): string {
  for (;;) {
    const key = known.slice(0, letters) + mintKey().slice(letters, -6);
    const found = withCheck(key);
    if (found !== known) return found;
  }
}

/** Anybody can compute a key's checksum: it stops junk, not guesses. */
function withCheck(body: string): string {
  let rest = crc(body);
  let check = '';
  for (let i = 0; i < 6; i++) {
    check = LETTERS[rest % 62]! + check;
    rest = Math.floor(rest / 62);
  }
  return body + check;
}

async function compare(rounds: number): Promise<void> {
  const stack = await startStack();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { key } = await stack.key();
  const kinds = {
    'first letter wrong': () => sharing(key, 4),
    'last letter wrong': () => sharing(key, 33),
    'first letter wrong, again': () => sharing(key, 4),
  };
  const seen = Object.entries(kinds).map(([name, make]) => ({
    name,
    make,
    micros: [] as number[],
  }));
  // Interleaved, so load on the machine slows all of them alike.
  for (let round = 0; round < rounds; round++)
    for (const kind of seen) kind.micros.push(await micros(stack.url, agent, kind.make()));
  agent.destroy();
  await stack.stop();
  for (const { name, micros: all } of seen)
    console.log(`${name}: median ${median(all).toFixed(1)} µs`);
  const [first = 0, last = 0, again = 0] = seen.map(({ micros: all }) => median(all));
  console.log(
    `first to last ${(last - first).toFixed(1)} µs, first to first ${(again - first).toFixed(1)} µs`,
  );
}

const program = new Command('timing')
  .description(
    'Measures whether the time of a rejection reveals how much of a key was right; run by hand',
  )
  .option('--rounds <n>', 'requests of each kind', '5000')
  .action(({ rounds }: { rounds: string }) => compare(Number(rounds)));
await program.parseAsync();
