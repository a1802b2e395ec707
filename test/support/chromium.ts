import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

/** Comes first: it needs three fifths of the CPU time of the others. */
const WINDOWLESS = 'chromium-headless-shell';
const WITH_WINDOWS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** No host name resolves: a page can load only from the address it was opened at. */
const OFFLINE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';

const ARGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', OFFLINE],
];

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const files = [WINDOWLESS, ...WITH_WINDOWS].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  return files.find((file) => existsSync(file));
}

async function installed(): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => promisify(execFile)('apt-get', args, { env });
  try {
    await apt('update');
    await apt('install', '-y', '--no-install-recommends', WINDOWLESS);
  } catch {
    return undefined; // without a network, for example; the caller reports it
  }
  return onPath();
}

/** Finds Chromium on PATH, or installs it with apt if run by root on Debian; else returns the reason. */
export async function findChromium(): Promise<{ path: string } | { missing: string }> {
  const path = onPath() ?? (await installed());
  return path
    ? { path }
    : { missing: `no Chromium on PATH; type: sudo apt-get install ${WINDOWLESS}` };
}

/** Starts Chromium without a window and with no network except 127.0.0.1. */
export const openBrowser = (path: string): Promise<Browser> =>
  chromium.launch({ executablePath: path, args: ARGS });
