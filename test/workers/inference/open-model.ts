import { findModel, readCatalog } from '../../../models/catalog.ts';
import { openSession, type Session } from '../../../workers/inference/session.ts';

/** Opens a bundled network, which looks at one image at a time. */
export async function openModel(
  id: 'garment-cutout' | 'garment-parse',
  onRun = () => {},
): Promise<Session> {
  const { runAll, ...loaded } = await openSession(findModel(readCatalog('nowhere'), id), 'cpu', 1);
  return {
    ...loaded,
    async run(input, size) {
      onRun();
      return (await runAll([input], size))[0]!;
    },
  };
}
