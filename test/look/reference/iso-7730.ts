/** A room and a person in it: °C, %, m/s of relative air, met, clo. */
export interface Room {
  tdb: number;
  tr: number;
  rh: number;
  vr: number;
  met: number;
  clo: number;
}

const kelvin = (celsius: number) => celsius + 273;

/**
 * PMV by the full balance of ISO 7730:2005, eq. 1–4, the reference for the engine's linear balance:
 * radiation to the fourth power, convection the stronger of natural and forced.
 */
export function pmv({ tdb, tr, rh, vr, met, clo }: Room): number {
  const heat = met * 58.15;
  const insulation = clo * 0.155;
  const area = insulation <= 0.078 ? 1 + 1.29 * insulation : 1.05 + 0.645 * insulation;
  const vapourPa = rh * 10 * Math.exp(16.6536 - 4030.183 / (tdb + 235));
  const forced = 12.1 * Math.sqrt(vr);
  const skin = 35.7 - 0.028 * heat;
  const radiated = (surface: number) => 3.96e-8 * area * (kelvin(surface) ** 4 - kelvin(tr) ** 4);
  const convected = (surface: number) =>
    area * Math.max(forced, 2.38 * Math.abs(surface - tdb) ** 0.25) * (surface - tdb);
  let [cold, warm] = [Math.min(tdb, tr) - 30, 60];
  for (let i = 0; i < 60; i++) {
    const surface = (cold + warm) / 2;
    const lost = radiated(surface) + convected(surface);
    if (skin - insulation * lost > surface) cold = surface;
    else warm = surface;
  }
  const surface = (cold + warm) / 2;
  const load =
    heat -
    3.05e-3 * (5733 - 6.99 * heat - vapourPa) -
    Math.max(0, 0.42 * (heat - 58.15)) -
    1.7e-5 * heat * (5867 - vapourPa) -
    0.0014 * heat * (34 - tdb) -
    radiated(surface) -
    convected(surface);
  return (0.303 * Math.exp(-0.036 * heat) + 0.028) * load;
}

/** Predicted share of dissatisfied people, %. ISO 7730:2005, eq. 5. */
export const ppd = (vote: number): number =>
  100 - 95 * Math.exp(-0.03353 * vote ** 4 - 0.2179 * vote ** 2);
