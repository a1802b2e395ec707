import { join } from 'node:path';
import { MAX_SIDE_PIXELS } from '../../src/intake/validate-image.ts';
import { readConfig } from '../../src/platform/config.ts';
import { type LocalEvent, LocalRequest } from '../../src/queue/local-protocol.ts';
import { type Engine, startEngine } from '../inference/pool.ts';
import { cutOutFile } from './cut-out-file.ts';

/**
 * Cuts out files without Redis and object storage. Requests and events are messages to and from the parent
 * process; when the parent exits or disconnects, this process exits.
 */
function send(event: LocalEvent): void {
  if (process.connected) process.send?.(event);
}

let engine: Engine | undefined;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  engine = await startEngine({
    model: config.MODEL,
    device: config.DEVICE,
    slots: config.WORKER_CONCURRENCY,
    maxPixels: config.MAX_IMAGE_PIXELS,
    modelsHome: join(config.SELVAGE_HOME, 'models'),
  });
  const limits = { maxPixels: config.MAX_IMAGE_PIXELS, maxSidePixels: MAX_SIDE_PIXELS };
  const deps = { engine, limits, maxBytes: config.MAX_IMAGE_BYTES };
  process.on('message', async (message) =>
    send(await cutOutFile(deps, LocalRequest.parse(message))),
  );
  const { id, version } = engine.model;
  const { device, fallback } = engine;
  send({ ready: { model: `${id}@${version}`, device, ...(fallback && { fallback }) } });
}

// Ctrl-C reaches every process of a terminal; the parent decides when this one ends.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => {});
process.once('disconnect', async () => {
  await engine?.close();
  process.exit();
});

main().catch((error) => {
  send({ refused: error instanceof Error ? error.message : String(error) });
  if (process.connected) process.disconnect();
});
