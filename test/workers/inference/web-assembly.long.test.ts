import { readFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';
import { expect, test } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};
const [, names, command] = scripts['build:wasm']!.match(/^for name in (.*); do asc (.*); done$/)!;

test.each(names!.split(' '))('%s.wasm is what its source gives', async (name) => {
  const written = new Map<string, Uint8Array>();
  const { error } = await asc.main(command!.replaceAll('$name', name).split(' '), {
    writeFile: (file, contents) => void written.set(file, Buffer.from(contents)),
  });
  expect(error).toBeNull();
  const file = `data/${name}.wasm`;
  expect([...written]).toEqual([[file, readFileSync(file)]]);
});
