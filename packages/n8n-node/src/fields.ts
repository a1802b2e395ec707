import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { OPTION_NAMES, OPTIONS, type OptionName } from '../../../src/output/option-table.ts';

/** `backgroundImageUrl` becomes `Background Image Url`, as n8n writes names. */
const titleOf = (name: string): string =>
  name.replace(/([A-Z])/g, ' $1').replace(/^./, (letter) => letter.toUpperCase());

const choices = (words: readonly string[]): INodePropertyOptions[] =>
  words.map((word) => ({ name: titleOf(word), value: word }));

/** What an option is as a field. A new one starts with what is meant if it is absent. */
function valueField(name: OptionName): Omit<INodeProperties, 'name' | 'displayName'> {
  const { values, default: absent } = OPTIONS[name];
  if ('words' in values)
    return { type: 'options', options: choices(values.words), default: absent ?? '' };
  if ('flag' in values) return { type: 'boolean', default: absent ?? false };
  if ('text' in values) return { type: 'string', default: absent ?? '' };
  const { min: minValue, max: maxValue } = values;
  return {
    type: 'number',
    default: absent ?? maxValue,
    typeOptions: { minValue, maxValue, numberPrecision: 2 },
  };
}

/** The options of a cut-out, each a field that can be added. */
export const optionFields: INodeProperties[] = OPTION_NAMES.map((name) => ({
  displayName: titleOf(name),
  name,
  description: OPTIONS[name].description.replaceAll('`', ''),
  ...valueField(name),
}));
