/**
 * What the outfits page itself says about outfits, in the languages of their names and reasons.
 * `{name}` stands for a value. Everything else about them is in the response.
 * @typedef {'en' | 'de' | 'fr' | 'es' | 'it' | 'nl'} Locale
 * @typedef {Readonly<Record<Locale, string>>} Text
 */

export const TEXTS = {
  score: {
    en: '{score} of 100',
    de: '{score} von 100',
    fr: '{score} sur 100',
    es: '{score} de 100',
    it: '{score} su 100',
    nl: '{score} van 100',
  },
  bestFirst: {
    en: 'Outfits, best first',
    de: 'Outfits, die besten zuerst',
    fr: 'Tenues, les meilleures d’abord',
    es: 'Conjuntos, los mejores primero',
    it: 'Outfit, i migliori per primi',
    nl: 'Outfits, de beste eerst',
  },
  incomplete: {
    en: 'This wardrobe has no complete outfit yet.',
    de: 'Diese Garderobe hat noch kein vollständiges Outfit.',
    fr: 'Cette garde-robe n’a pas encore de tenue complète.',
    es: 'Este armario aún no tiene ningún conjunto completo.',
    it: 'Questo guardaroba non ha ancora un outfit completo.',
    nl: 'Deze garderobe heeft nog geen volledige outfit.',
  },
  cold: { en: 'cold', de: 'kalt', fr: 'froid', es: 'frío', it: 'freddo', nl: 'koud' },
  comfortable: {
    en: 'comfortable',
    de: 'angenehm',
    fr: 'agréable',
    es: 'agradable',
    it: 'gradevole',
    nl: 'aangenaam',
  },
  warm: { en: 'warm', de: 'warm', fr: 'chaud', es: 'caluroso', it: 'caldo', nl: 'warm' },

  shell: {
    en: 'Outside it is {why}. Put on as well:',
    de: 'Draußen ist es {why}. Dazu anziehen:',
    fr: 'Dehors, {why}. À mettre en plus :',
    es: 'Fuera {why}. Para ponerse además:',
    it: 'Fuori {why}. Da indossare in più:',
    nl: 'Buiten is het {why}. Doe dit erbij aan:',
  },
  shellTooLight: {
    en: 'Outside it is {why}. The best you have is not quite enough:',
    de: 'Draußen ist es {why}. Das Beste, was da ist, reicht nicht ganz:',
    fr: 'Dehors, {why}. Le mieux qu’il y ait ne suffit pas tout à fait :',
    es: 'Fuera {why}. Lo mejor que hay no basta del todo:',
    it: 'Fuori {why}. Il meglio che c’è non basta del tutto:',
    nl: 'Buiten is het {why}. Het beste wat er is, is niet helemaal genoeg:',
  },
  shellMissing: {
    en: 'Outside it is {why}. The wardrobe has nothing suitable for that.',
    de: 'Draußen ist es {why}. Dafür hat die Garderobe nichts Passendes.',
    fr: 'Dehors, {why}. La garde-robe n’a rien qui convienne.',
    es: 'Fuera {why}. El armario no tiene nada adecuado para eso.',
    it: 'Fuori {why}. Il guardaroba non ha nulla di adatto.',
    nl: 'Buiten is het {why}. De garderobe heeft daar niets geschikts voor.',
  },

  regions: {
    en: 'Warmth by region',
    de: 'Wärme nach Körperteil',
    fr: 'Chaleur par partie du corps',
    es: 'Abrigo por parte del cuerpo',
    it: 'Calore per parte del corpo',
    nl: 'Warmte per lichaamsdeel',
  },
  regionSummary: {
    en: '{region} {clo} of {target} clo',
    de: '{region} {clo} von {target} clo',
    fr: '{region} {clo} sur {target} clo',
    es: '{region} {clo} de {target} clo',
    it: '{region} {clo} su {target} clo',
    nl: '{region} {clo} van {target} clo',
  },
  worn: {
    en: 'worn',
    de: 'getragen',
    fr: 'porté',
    es: 'llevado',
    it: 'indossato',
    nl: 'gedragen',
  },
  target: {
    en: 'target, in clo',
    de: 'Zielwert, in clo',
    fr: 'cible, en clo',
    es: 'objetivo, en clo',
    it: 'obiettivo, in clo',
    nl: 'doel, in clo',
  },
  asTable: {
    en: 'Show as a table',
    de: 'Als Tabelle zeigen',
    fr: 'Afficher en tableau',
    es: 'Mostrar como tabla',
    it: 'Mostra come tabella',
    nl: 'Als tabel tonen',
  },
  region: {
    en: 'Region',
    de: 'Körperteil',
    fr: 'Partie du corps',
    es: 'Parte del cuerpo',
    it: 'Parte del corpo',
    nl: 'Lichaamsdeel',
  },
  wornClo: {
    en: 'Worn, clo',
    de: 'Getragen, clo',
    fr: 'Porté, clo',
    es: 'Llevado, clo',
    it: 'Indossato, clo',
    nl: 'Gedragen, clo',
  },
  targetClo: {
    en: 'Target, clo',
    de: 'Zielwert, clo',
    fr: 'Cible, clo',
    es: 'Objetivo, clo',
    it: 'Obiettivo, clo',
    nl: 'Doel, clo',
  },

  dayByDay: {
    en: 'Outfits, day by day',
    de: 'Outfits, Tag für Tag',
    fr: 'Tenues, jour par jour',
    es: 'Conjuntos, día a día',
    it: 'Outfit, giorno per giorno',
    nl: 'Outfits, dag voor dag',
  },
  why: {
    en: 'Why this outfit',
    de: 'Warum dieses Outfit',
    fr: 'Pourquoi cette tenue',
    es: 'Por qué este conjunto',
    it: 'Perché questo outfit',
    nl: 'Waarom deze outfit',
  },
  noOutfit: {
    en: 'No outfit is left.',
    de: 'Es bleibt kein Outfit übrig.',
    fr: 'Il ne reste aucune tenue.',
    es: 'No queda ningún conjunto.',
    it: 'Non resta alcun outfit.',
    nl: 'Er blijft geen outfit over.',
  },
  toTake: {
    en: 'To take along: {count}',
    de: 'Zum Mitnehmen: {count}',
    fr: 'À emporter : {count}',
    es: 'Para llevarse: {count}',
    it: 'Da portare con sé: {count}',
    nl: 'Om mee te nemen: {count}',
  },
  isBest: {
    en: 'No other choice of garments suits these days better.',
    de: 'Keine andere Auswahl passt besser zu diesen Tagen.',
    fr: 'Aucun autre choix ne convient mieux à ces jours.',
    es: 'Ninguna otra selección se adapta mejor a estos días.',
    it: 'Nessun’altra scelta è più adatta a questi giorni.',
    nl: 'Geen andere keuze past beter bij deze dagen.',
  },
  couldBeBetter: {
    en: 'Another choice could suit these days better by at most {points} points of 100.',
    de: 'Eine andere Auswahl könnte um höchstens {points} von 100 Punkten besser passen.',
    fr: 'Un autre choix pourrait mieux convenir à ces jours, de {points} points sur 100 au plus.',
    es: 'Otra selección podría adaptarse mejor a estos días, en {points} puntos de 100 como máximo.',
    it: 'Un’altra scelta potrebbe essere più adatta a questi giorni, al massimo di {points} punti su 100.',
    nl: 'Een andere keuze zou hoogstens {points} van de 100 punten beter passen.',
  },
  planned: {
    en: 'Days planned: {days}. Garments: {count}.',
    de: 'Geplante Tage: {days}. Teile: {count}.',
    fr: 'Jours planifiés : {days}. Vêtements : {count}.',
    es: 'Días planificados: {days}. Prendas: {count}.',
    it: 'Giorni pianificati: {days}. Capi: {count}.',
    nl: 'Geplande dagen: {days}. Kledingstukken: {count}.',
  },
};

/** The regions of the targets, short enough for a bar. @type {Readonly<Record<string, Text>>} */
// biome-ignore format: a table reads best aligned
export const REGIONS = {
  top:       { en: 'Top',    de: 'Oberteil', fr: 'Haut',        es: 'Torso',      it: 'Busto',      nl: 'Bovenlijf' },
  bottom:    { en: 'Legs',   de: 'Beine',    fr: 'Jambes',      es: 'Piernas',    it: 'Gambe',      nl: 'Benen' },
  dress:     { en: 'Dress',  de: 'Kleid',    fr: 'Robe',        es: 'Vestido',    it: 'Vestito',    nl: 'Jurk' },
  shoes:     { en: 'Feet',   de: 'Füße',     fr: 'Pieds',       es: 'Pies',       it: 'Piedi',      nl: 'Voeten' },
  outerwear: { en: 'Outer',  de: 'Jacke',    fr: 'Manteau',     es: 'Abrigo',     it: 'Giacca',     nl: 'Jas' },
  accessory: { en: 'Extras', de: 'Extras',   fr: 'Accessoires', es: 'Accesorios', it: 'Accessori',  nl: 'Accessoires' },
};

/** Why something more is needed outside: `{why}` of the texts. @type {Readonly<Record<string, Text>>} */
// biome-ignore format: a table reads best aligned
export const SHELL_REASONS = {
  'colder-outside': { en: 'colder', de: 'kälter', fr: 'il fait plus froid',         es: 'hace más frío',        it: 'fa più freddo',           nl: 'kouder' },
  rain:             { en: 'wet',    de: 'nass',   fr: 'il y a des précipitations',  es: 'hay precipitaciones',  it: 'ci sono precipitazioni',  nl: 'nat' },
  wind:             { en: 'windy',  de: 'windig', fr: 'il y a du vent',             es: 'hace viento',          it: 'c’è vento',               nl: 'winderig' },
};

/** @param {Text} text @param {string} locale one of those of the service; any other is English */
const inLocale = (text, locale) => text[/** @type {Locale} */ (locale)] ?? text.en;

/**
 * Returns a text in a language, with its values filled in.
 * @param {string} locale
 * @param {keyof typeof TEXTS} name
 * @param {Readonly<Record<string, string | number>>} [values]
 */
export const say = (locale, name, values = {}) =>
  inLocale(TEXTS[name], locale).replaceAll(/\{(\w+)\}/g, (_, value) => String(values[value] ?? ''));

/** @param {string} locale @param {string} region such as `top` */
export const regionName = (locale, region) => {
  const text = REGIONS[region];
  return text ? inLocale(text, locale) : region;
};

/** Joins what speaks for more clothes outside. @param {string} locale @param {string[]} reasons codes */
export const shellReasons = (locale, reasons) =>
  new Intl.ListFormat(locale).format(
    reasons.flatMap((reason) => {
      const text = SHELL_REASONS[reason];
      return text ? [inLocale(text, locale)] : [];
    }),
  );

/**
 * Returns a number as the language writes it.
 * @param {string} locale
 * @param {number} value
 * @param {number} decimals
 */
export const formatNumber = (locale, value, decimals) =>
  new Intl.NumberFormat(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value);
