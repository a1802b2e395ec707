import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readVotes } from '../../bench/thermal-votes.ts';
import { useFolder } from '../support/use-folder.ts';

const COLUMNS =
  'subject_id,contributor,publication,climate,season,building_type,ta,tr,rh,vel,met,clo,thermal_sensation';

const folder = await useFolder();

async function votesOf(...rows: string[]) {
  const file = join(folder, 'votes.csv.gz');
  await writeFile(file, gzipSync([COLUMNS, ...rows].join('\n')));
  return readVotes(file);
}

test('a vote is read with its room, as `/calibrate` takes it', async () => {
  const [vote, ...more] = await votesOf(
    '7,Doe,A study,desert,summer,office,26,30,40,0.3,1.2,0.5,1',
  );
  expect(more).toEqual([]);
  expect(vote).toMatchObject({ vote: 1, person: 'Doe, A study, 7', climate: 'desert' });
  const expected = { vote: 1, met: 1.2, plan: 'indoor', indoorTempC: 27.6, worn: { icl: 0.5 } };
  expect(vote?.feedback).toEqual(expected);
});

test('a vote without a quantity of PMV, or beyond what `/calibrate` takes, is left out', async () => {
  const votes = await votesOf(
    ',Doe,A study,desert,summer,office,26,30,40,0.3,1.2,0.5,1',
    '1,Doe,A study,desert,summer,office,26,NA,40,0.3,1.2,0.5,1',
    '1,Doe,A study,desert,summer,office,26,30,40,0.3,1.2,,1',
    '1,Doe,A study,desert,summer,office,26,30,40,0.3,1.2,0.05,1',
    '1,Doe,A study,desert,summer,office,46,46,40,0.1,1.2,0.5,1',
  );
  expect(votes.map(({ person }) => person)).toEqual([undefined]);
});
