import { SelvageError } from '../../packages/client/src/client.ts';
import type { Deed } from './ledger.ts';
import { type Customer, freshPicture } from './world.ts';

/** Cancels and erases a job, and deletes a preset. @param name of the preset */
export async function doDeeds({ client, pictures }: Customer, name: string): Promise<Deed[]> {
  const { jobs, presets } = client;
  const image = await freshPicture(pictures[0] ?? 0);
  const deeds: Omit<Deed, 'said'>[] = [];
  await presets.put(name, { options: {} });
  await presets.delete(name);
  deeds.push({
    what: `preset ${name}`,
    read: async () => ((await presets.list()).some((each) => each.name === name) ? 'is' : 'is not'),
  });
  const [canceled, erased] = [await jobs.create({ image }), await jobs.create({ image })];
  const readJob = (id: string) => async () => {
    try {
      return (await jobs.get(id)).status;
    } catch (error) {
      if (error instanceof SelvageError) return `${error.type} ${error.members.erasedAt}`;
      throw error;
    }
  };
  // One that has ended meanwhile stays as it is.
  await jobs.cancel(canceled.id).catch(() => {});
  await jobs.delete(erased.id);
  for (const { id } of [canceled, erased]) deeds.push({ what: id, read: readJob(id) });
  const said = await Promise.all(deeds.map(({ read }) => read()));
  return deeds.map((deed, i) => ({ ...deed, said: said[i] ?? '' }));
}

/** Reads all deeds again. */
export async function readDeeds(deeds: readonly Deed[]): Promise<void> {
  for (const deed of deeds) deed.found = await deed.read();
}
