import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { CalibrateRequest, type Feedback } from '../src/look/calibration/calibrate-schema.ts';

const Given = z
  .string()
  .refine((text) => text !== '' && text !== 'NA')
  .pipe(z.coerce.number());

/** One row of the ASHRAE Global Thermal Comfort Database II: °C, %, m/s, met, clo. */
const Row = z.object({
  contributor: z.string(),
  publication: z.string(),
  subject_id: z.string(),
  climate: z.string(),
  season: z.string(),
  building_type: z.string(),
  ta: Given,
  tr: Given,
  rh: Given,
  vel: Given,
  met: Given,
  clo: Given,
  thermal_sensation: Given,
});
type Row = z.infer<typeof Row>;

/** How warm a person in a building felt, and the room they felt it in. */
export interface ThermalVote {
  /** −3 cold … 3 hot. */
  vote: number;
  study: string;
  /** Undefined if the study does not say who voted. */
  person: string | undefined;
  climate: string;
  season: string;
  building: string;
  /** Air and radiant temperature, °C; humidity, %; air, m/s; met; clo. */
  row: Row;
  /** The vote as a person's device sends it to `/calibrate`. */
  feedback: Feedback;
}

/** Operative temperature, °C: air counts more where it moves. Source: ASHRAE 55, appendix A. */
function operativeC({ ta, tr, vel }: Row): number {
  const airShare = vel < 0.2 ? 0.5 : vel < 0.6 ? 0.6 : 0.7;
  return airShare * ta + (1 - airShare) * tr;
}

function readVote(row: Row): ThermalVote | undefined {
  const request = CalibrateRequest.safeParse({
    feedback: [
      {
        vote: row.thermal_sensation,
        met: row.met,
        plan: 'indoor',
        indoorTempC: operativeC(row),
        worn: { icl: row.clo },
      },
    ],
  });
  const feedback = request.data?.feedback[0];
  if (!feedback) return undefined;
  const study = `${row.contributor}, ${row.publication}`;
  const isNamed = row.subject_id !== '' && row.subject_id !== 'NA';
  return {
    vote: row.thermal_sensation,
    study,
    person: isNamed ? `${study}, ${row.subject_id}` : undefined,
    climate: row.climate,
    season: row.season,
    building: row.building_type,
    row,
    feedback,
  };
}

/**
 * Reads the votes of a table of the ASHRAE Global Thermal Comfort Database II (CSV, gzip): those that
 * have every quantity of PMV and that `/calibrate` takes, in the table's order.
 */
export async function readVotes(file: string): Promise<ThermalVote[]> {
  const rows: unknown[] = parse(gunzipSync(await readFile(file)), { columns: true });
  return rows.flatMap((row) => {
    const { data } = Row.safeParse(row);
    return (data && readVote(data)) ?? [];
  });
}
