import type { Model } from '../params.ts';
import type { RegionOffsets, ThermalProfile, UserProfile } from '../schema.ts';

/** Returns the label of an offset in kelvin. */
export function profileLabel({ tables }: Model, offsetC: number): ThermalProfile {
  const row = tables.thermalProfile.find(
    ({ fromK, toK }) => offsetC >= (fromK ?? -Infinity) && offsetC <= (toK ?? Infinity),
  );
  return row?.id ?? 'neutral';
}

/** A person, every value resolved. */
export interface Person {
  /** Given by the person or learned from votes, K. */
  offsetC: number;
  /** Factor on `offsetC` in the heat balance. */
  sensitivity: number;
  thermalProfile: ThermalProfile;
  regionOffsetC: RegionOffsets;
}

/** Reads a profile: an offset takes precedence over a label; without either, the person is neutral. */
export function readProfile(model: Model, profile: UserProfile = {}): Person {
  const label = profile.thermalProfile ?? 'neutral';
  const labelOffsetC = model.tables.thermalProfile.find(({ id }) => id === label)?.offsetC ?? 0;
  const offsetC = profile.offsetC ?? labelOffsetC;
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
