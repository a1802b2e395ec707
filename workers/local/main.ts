import { join } from 'node:path';
import { MAX_SIDE_PIXELS } from '../../src/intake/validate-image.ts';
import { readConfig } from '../../src/platform/config.ts';
import { type LocalEvent, LocalRequest } from '../../src/queue/local-protocol.ts';
import { type Engine, startEngine } from '../inference/pool.ts';
import { cutOutFile } from './cut-out-file.ts';

/**
 * Cuts out files without Redis or a store: orders and answers are messages of the process that started
 * it, and when that one is gone or hangs up, so is this.
 */
function tell(news: LocalEvent): void {
  if (process.connected) process.send?.(news);
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
  const parts = { engine, limits, maxBytes: config.MAX_IMAGE_BYTES };
  process.on('message', async (order) => tell(await cutOutFile(parts, LocalRequest.parse(order))));
  const { id, version } = engine.model;
  tell({ ready: { model: `${id}@${version}`, device: engine.device } });
}

// Ctrl-C reaches every process of a terminal; whoever started this one says when it ends.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => {});
process.once('disconnect', async () => {
  await engine?.close();
  process.exit();
});

main().catch((error) => {
  tell({ refused: error instanceof Error ? error.message : String(error) });
  if (process.connected) process.disconnect();
});
