import { readFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';
import { expect, test } from 'vitest';

test('the compiled encoder is what its source gives', async () => {
  const scripts = JSON.parse(readFileSync('package.json', 'utf8')).scripts as Record<
    string,
    string
  >;
  const [, ...build] = scripts['build:wasm']!.split(' ');
  const written = new Map<string, Uint8Array>();
  const { error } = await asc.main(build, {
    writeFile: (name, contents) => void written.set(name, Buffer.from(contents)),
  });
  expect(error).toBeNull();
  expect([...written]).toEqual([['data/deflate.wasm', readFileSync('data/deflate.wasm')]]);
});
