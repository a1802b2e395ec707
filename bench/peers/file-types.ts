import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawForms, FORMS, type Form, ORIENTATIONS } from '../../test/support/picture-forms.ts';
import { markdownTable } from '../markdown.ts';
import type { Contender } from './contenders.ts';

const REJECTED = 'rejected';

/** Summarizes how many orientations are correct, and the errors of the others. */
function summarize(errors: readonly (readonly string[])[]): string {
  const correct = errors.filter(({ length }) => length === 0).length;
  const wrong = [...new Set(errors.flat())].join(', ');
  return `${correct} of ${errors.length}${wrong && `: ${wrong}`}`;
}

/** Returns a table of how many orientations of each file type each program handles correctly. */
export async function fileTypesTable(
  contenders: readonly Contender[],
  scratch: string,
): Promise<string> {
  const forms = await drawForms();
  async function errorsOf(contender: Contender, form: Form, file: string): Promise<string[]> {
    const cutOut = await contender
      .cutOut({ file, mediaType: form.mediaType })
      .catch(() => undefined);
    return cutOut ? forms.faultsOf(form, cutOut) : [REJECTED];
  }
  async function row(form: Form): Promise<string[]> {
    const errors = contenders.map((): string[][] => []);
    for (const orientation of ORIENTATIONS) {
      const file = join(scratch, 'form');
      await writeFile(file, await forms.stored(form, orientation));
      for (const [i, contender] of contenders.entries())
        errors[i]?.push(await errorsOf(contender, form, file));
    }
    return [form.name, ...errors.map(summarize)];
  }
  const rows = [['stored as', ...contenders.map(({ name }) => name)]];
  for (const form of FORMS) {
    const cells = await row(form);
    console.error(cells.join(' | '));
    rows.push(cells);
  }
  return markdownTable(rows);
}
