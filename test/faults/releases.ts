import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/root.ts';
import { again, type Fault } from './fault.ts';
import type { Installation } from './installation.ts';

/** The launcher's compiler of that commit: it knows what its programs need beside them. */
const COMPILE = `import('./infra/launcher/compile.mjs').then(({ compile }) => compile(process.cwd()))`;

/** An earlier commit, compiled in its own folder. */
export interface Release {
  folder: string;
  remove(): void;
}

/** Compiles an earlier commit with the packages installed here. */
export function compileRelease(commit: string): Release {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-release-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const input = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', folder], { input });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    execFileSync(process.execPath, ['--eval', COMPILE], { cwd: folder });
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, remove };
}

/** Runs one gateway and one worker of another release next to those of this one. */
export async function mixReleases(installation: Installation, release: Release): Promise<void> {
  const old = [installation.gateways[1], installation.workers[1]];
  await Promise.all(
    old.map(async (member) => {
      if (!member) throw new Error('there are two of each');
      member.launch.release = release.folder;
      await again(member, 'SIGTERM');
    }),
  );
}

/** Switches a worker and a gateway between the releases while work continues. */
export const releaseFaults = (release: Release): readonly Fault[] =>
  (['gateways', 'workers'] as const).map((kind) => ({
    name: `one of the ${kind} is of the other release for a while`,
    async play(installation) {
      const [member] = installation[kind];
      if (!member) throw new Error('there are two of each');
      for (const folder of [release.folder, ROOT]) {
        member.launch.release = folder;
        await again(member, 'SIGTERM');
      }
    },
  }));
