/* Words that classification, dictionary and outfits share. */

/** Language of labels and names. */
export type Locale = 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl';

/** Part of the body that a garment covers. */
export type Region = 'top' | 'outerwear' | 'dress' | 'bottom' | 'shoes' | 'accessory';

/** Layer that a garment is worn in. */
export type Layer = 'underwear' | 'base' | 'mid' | 'outer' | 'footwear' | 'accessory';

/** Place on the body that a garment takes. */
export type BodySlot =
  | 'head'
  | 'eyes'
  | 'neck'
  | 'torso'
  | 'waist'
  | 'hands'
  | 'legs'
  | 'feet'
  | 'full'
  | 'carry';
