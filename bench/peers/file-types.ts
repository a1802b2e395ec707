import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawForms, FORMS, type Form, ORIENTATIONS } from '../../test/support/picture-forms.ts';
import { markdownTable } from '../markdown.ts';
import type { Contender } from './contenders.ts';

const REFUSED = 'refused';

/** How many of the orientations are right, and what is wrong with the others. */
function summary(faults: readonly (readonly string[])[]): string {
  const right = faults.filter(({ length }) => length === 0).length;
  const wrong = [...new Set(faults.flat())].join(', ');
  return `${right} of ${faults.length}${wrong && `: ${wrong}`}`;
}

/** Which of the files of each colour type, in all orientations, each contender gets right; a table. */
export async function formsTable(
  contenders: readonly Contender[],
  scratch: string,
): Promise<string> {
  const forms = await drawForms();
  async function faultsOf(contender: Contender, form: Form, file: string): Promise<string[]> {
    const cutOut = await contender.cut({ file, mediaType: form.mediaType }).catch(() => undefined);
    return cutOut ? forms.faultsOf(form, cutOut) : [REFUSED];
  }
  async function row(form: Form): Promise<string[]> {
    const faults = contenders.map((): string[][] => []);
    for (const orientation of ORIENTATIONS) {
      const file = join(scratch, 'form');
      await writeFile(file, await forms.stored(form, orientation));
      for (const [i, contender] of contenders.entries())
        faults[i]?.push(await faultsOf(contender, form, file));
    }
    return [form.name, ...faults.map(summary)];
  }
  const rows = [['stored as', ...contenders.map(({ name }) => name)]];
  for (const form of FORMS) {
    const cells = await row(form);
    console.error(cells.join(' | '));
    rows.push(cells);
  }
  return markdownTable(rows);
}
