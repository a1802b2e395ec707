import type { Model } from '../params.ts';
import type { RegionOffsets, ThermalProfile, UserProfile } from '../schema.ts';

/** The label that an offset in kelvin goes by. */
export function profileLabel({ tables }: Model, offsetC: number): ThermalProfile {
  const row = tables.thermalProfile.find(
    ({ fromK, toK }) => offsetC >= (fromK ?? -Infinity) && offsetC <= (toK ?? Infinity),
  );
  return row?.id ?? 'neutral';
}

/** A person as the engine takes one. */
export interface Person {
  /** What the person says or has learned, K. */
  offsetC: number;
  /** What the heat balance multiplies `offsetC` by. */
  sensitivity: number;
  thermalProfile: ThermalProfile;
  regionOffsetC: RegionOffsets;
}

/** Reads a profile: a number wins over a label, a label over nothing. */
export function personOf(model: Model, profile: UserProfile = {}): Person {
  const label = profile.thermalProfile ?? 'neutral';
  const ofLabel = model.tables.thermalProfile.find(({ id }) => id === label)?.offsetC ?? 0;
  const offsetC = profile.offsetC ?? ofLabel;
  const { coldK } = model.k.region;
  const { regionOffsetC = {} } = profile;
  return {
    offsetC,
    sensitivity: profile.sensitivity ?? 1,
    thermalProfile: profileLabel(model, offsetC),
    regionOffsetC: {
      ...regionOffsetC,
      ...(profile.coldHands && { hands: (regionOffsetC.hands ?? 0) + coldK }),
      ...(profile.coldFeet && { feet: (regionOffsetC.feet ?? 0) + coldK }),
    },
  };
}
