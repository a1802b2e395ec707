import type { Locale } from '../../taxonomy/dictionary/schema.ts';

/** The occasion of requests that name none. */
export const DEFAULT_OCCASION = 'casual';

/** The parts of names in one language. */
interface NameWords {
  /** Adjective of a feel, in agreement with the word for look. */
  feel: Readonly<Record<string, string>>;
  /** The word for look, qualified by an occasion. */
  style: Readonly<Record<string, string>>;
  /** `{feel}`, `{look}` (with its style) and `{colour}` in the order of the language. */
  pattern: string;
  /** The same without a colour. */
  plain: string;
  /** Adds `{garments}` to a name. */
  with: string;
  and: string;
  /** A `{garment}` with its `{colour}` as a noun, which agrees with every garment. */
  coloured: string;
  /** Marks a text that is quoted, such as an id: `{text}`. */
  quote: string;
}

// biome-ignore format: a table reads best aligned
export const NAME_WORDS: Readonly<Record<Locale, NameWords>> = {
  en: {
    feel: { airy: 'Airy', light: 'Light', layered: 'Layered', warm: 'Warm', winter: 'Winter-proof' },
    style: {
      home: 'home look', casual: 'casual look', sport: 'sports look', outdoor: 'outdoor look', travel: 'travel look',
      school: 'school look', smart_casual: 'smart casual look', work: 'work look', business_formal: 'business look',
      date: 'date look', party: 'party look', ceremony: 'formal look', beach: 'beach look',
    },
    pattern: '{feel} {look} in {colour}', plain: '{feel} {look}', with: '{name} with {garments}', and: 'and', coloured: '{garment} in {colour}', quote: '“{text}”',
  },
  de: {
    feel: { airy: 'Luftiger', light: 'Leichter', layered: 'Mehrlagiger', warm: 'Warmer', winter: 'Winterfester' },
    style: {
      home: 'Look für zu Hause', casual: 'Freizeitlook', sport: 'Sportlook', outdoor: 'Outdoor-Look', travel: 'Reiselook',
      school: 'Schullook', smart_casual: 'Smart-Casual-Look', work: 'Bürolook', business_formal: 'Business-Look',
      date: 'Date-Look', party: 'Partylook', ceremony: 'festlicher Look', beach: 'Strandlook',
    },
    pattern: '{feel} {look} in {colour}', plain: '{feel} {look}', with: '{name} mit {garments}', and: 'und', coloured: '{garment} in {colour}', quote: '„{text}“',
  },
  fr: {
    feel: { airy: 'aéré', light: 'léger', layered: 'multicouche', warm: 'chaud', winter: 'd’hiver' },
    style: {
      home: 'Look d’intérieur', casual: 'Look décontracté', sport: 'Look de sport', outdoor: 'Look de plein air', travel: 'Look de voyage',
      school: 'Look pour l’école', smart_casual: 'Look chic décontracté', work: 'Look de bureau', business_formal: 'Look d’affaires',
      date: 'Look de rendez-vous', party: 'Look de fête', ceremony: 'Look de cérémonie', beach: 'Look de plage',
    },
    pattern: '{look} {feel} en {colour}', plain: '{look} {feel}', with: '{name} avec {garments}', and: 'et', coloured: '{garment} en {colour}', quote: '« {text} »',
  },
  es: {
    feel: { airy: 'fresco', light: 'ligero', layered: 'por capas', warm: 'abrigado', winter: 'de invierno' },
    style: {
      home: 'Look de casa', casual: 'Look informal', sport: 'Look deportivo', outdoor: 'Look para el aire libre', travel: 'Look de viaje',
      school: 'Look escolar', smart_casual: 'Look informal elegante', work: 'Look de oficina', business_formal: 'Look de negocios',
      date: 'Look para una cita', party: 'Look de fiesta', ceremony: 'Look de ceremonia', beach: 'Look de playa',
    },
    pattern: '{look} {feel} en {colour}', plain: '{look} {feel}', with: '{name} con {garments}', and: 'y', coloured: '{garment} en {colour}', quote: '«{text}»',
  },
  it: {
    feel: { airy: 'fresco', light: 'leggero', layered: 'a strati', warm: 'caldo', winter: 'invernale' },
    style: {
      home: 'Look da casa', casual: 'Look casual', sport: 'Look sportivo', outdoor: 'Look da esterni', travel: 'Look da viaggio',
      school: 'Look da scuola', smart_casual: 'Look smart casual', work: 'Look da ufficio', business_formal: 'Look formale da lavoro',
      date: 'Look da appuntamento', party: 'Look da festa', ceremony: 'Look da cerimonia', beach: 'Look da spiaggia',
    },
    pattern: '{look} {feel} in {colour}', plain: '{look} {feel}', with: '{name} con {garments}', and: 'e', coloured: '{garment} in {colour}', quote: '«{text}»',
  },
  nl: {
    feel: { airy: 'Luchtige', light: 'Lichte', layered: 'Gelaagde', warm: 'Warme', winter: 'Winterse' },
    style: {
      home: 'thuislook', casual: 'vrijetijdslook', sport: 'sportlook', outdoor: 'outdoorlook', travel: 'reislook',
      school: 'schoollook', smart_casual: 'smart-casual-look', work: 'werklook', business_formal: 'zakelijke look',
      date: 'datelook', party: 'feestlook', ceremony: 'plechtige look', beach: 'strandlook',
    },
    pattern: '{feel} {look} in {colour}', plain: '{feel} {look}', with: '{name} met {garments}', and: 'en', coloured: '{garment} in {colour}', quote: '‘{text}’',
  },
};

/**
 * Garments as they stand after the word for "with", if that is not the label of the dictionary: with an
 * article in English, in the dative in German, in the order of the language elsewhere.
 */
// biome-ignore format: a table reads best aligned
export const GARMENTS: Readonly<Record<Locale, Readonly<Record<string, string>>>> = {
  en: {
    t_shirt: 'a T-shirt', long_sleeve_tee: 'a long-sleeved T-shirt', tank_top: 'a tank top', camisole: 'a camisole', polo_shirt: 'a polo shirt',
    blouse: 'a blouse', shirt: 'a shirt', short_sleeve_shirt: 'a short-sleeved shirt', dress_shirt: 'a dress shirt', flannel_shirt: 'a flannel shirt',
    overshirt: 'an overshirt', tunic: 'a tunic', sweater: 'a sweater', thick_sweater: 'a thick sweater', turtleneck: 'a turtleneck',
    cardigan: 'a cardigan', knit_vest: 'a knitted vest', sweatshirt: 'a sweatshirt', hoodie: 'a hoodie', fleece_jacket: 'a fleece jacket',
    thermal_top: 'a thermal top', undershirt: 'an undershirt', bodysuit: 'a bodysuit', blazer: 'a blazer', waistcoat: 'a waistcoat',
    puffer_vest: 'a padded vest', denim_jacket: 'a denim jacket', light_jacket: 'a light jacket', bomber_jacket: 'a bomber jacket',
    leather_jacket: 'a leather jacket', windbreaker: 'a windbreaker', rain_jacket: 'a rain jacket', trench_coat: 'a trench coat',
    wool_coat: 'a wool coat', down_jacket: 'a down jacket', parka: 'a parka', cape_poncho: 'a cape', kimono_duster: 'a kimono',
    light_dress: 'a light dress', dress: 'a dress', long_sleeve_dress: 'a long-sleeved dress', maxi_dress: 'a maxi dress',
    evening_dress: 'an evening gown', saree_traditional: 'a saree', abaya: 'an abaya', kaftan: 'a kaftan', kurta: 'a kurta',
    shalwar_kameez: 'a shalwar kameez', sherwani: 'a sherwani', thobe: 'a thobe', dirndl: 'a dirndl', hanfu_qipao: 'a hanfu', jumpsuit: 'a jumpsuit', dungarees: 'dungarees', suit_set: 'a suit',
    tracksuit_set: 'a tracksuit', jeans: 'jeans', trousers: 'trousers', chinos: 'chinos', dress_trousers: 'dress trousers',
    cargo_pants: 'cargo trousers', joggers: 'joggers', leggings: 'leggings', corduroy_wool_trousers: 'thick trousers', shorts: 'shorts',
    capri: 'cropped trousers', rain_trousers: 'rain trousers', ski_trousers: 'ski trousers', skirt_light: 'a light skirt',
    skirt_heavy: 'a heavy skirt', maxi_skirt: 'a maxi skirt', long_johns: 'long johns', tights: 'tights', underwear_bottom: 'underpants',
    bra: 'a bra', sleepwear: 'pyjamas', robe: 'a bathrobe', swimwear: 'swimwear', socks_thin: 'socks', socks_thick: 'thick socks',
    sneakers: 'sneakers', sports_shoes: 'running shoes', dress_shoes: 'dress shoes', heels: 'heels', flats: 'flats', sandals: 'sandals',
    boots: 'boots', winter_boots: 'winter boots', slippers: 'slippers', cap: 'a cap', hat: 'a hat', beanie: 'a beanie', scarf: 'a scarf',
    gloves: 'gloves', belt: 'a belt', tie: 'a tie', sunglasses: 'sunglasses', bag: 'a bag',
  },
  de: {
    t_shirt: 'T-Shirt', long_johns: 'langer Unterhose', socks_thick: 'Kniestrümpfen', sneakers: 'Sneakern', sports_shoes: 'Laufschuhen', dress_shoes: 'Anzugschuhen',
    boots: 'Stiefeln', winter_boots: 'Winterstiefeln', slippers: 'Hausschuhen', gloves: 'Handschuhen',
  },
  fr: {
    long_sleeve_tee: 'T-shirt à manches longues', corduroy_wool_trousers: 'pantalon en velours côtelé',
  },
  es: {},
  it: {},
  nl: {
    short_sleeve_shirt: 'overhemd met korte mouwen', cardigan: 'gebreid vest', long_sleeve_dress: 'jurk met lange mouwen',
    dress_trousers: 'zakelijke pantalon',
  },
};
