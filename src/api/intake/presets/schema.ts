import { z } from 'zod';
import { checkConflicts, fieldsAt, withoutBlanks } from '../../../output/request.ts';
import { exportPolicyField } from '../review/export-policy.ts';

export const PresetOptions = z
  .preprocess(withoutBlanks, z.strictObject(fieldsAt('presets')).superRefine(checkConflicts))
  .meta({ id: 'PresetOptions' });

export const PresetRequest = z
  .strictObject({ options: PresetOptions.default({}), export: exportPolicyField })
  .meta({ id: 'PresetRequest' });
export type PresetRequest = z.infer<typeof PresetRequest>;

export const PresetResponse = z
  .object({
    name: z.string(),
    options: PresetOptions,
    export: exportPolicyField,
    changedAt: z.iso.datetime(),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'Preset' });

export const PresetList = z.object({ presets: z.array(PresetResponse) }).meta({ id: 'PresetList' });
