import type { Text } from './texts.ts';

/** What each explanation code says. `{region}`, `{place}` and `{occasion}` are words of the language. */
export const EXPLANATIONS = {
  'thermal.match': {
    en: 'Just right: {icl} clo for a need of {target} clo {place}',
    de: 'Genau richtig: {icl} clo bei einem Bedarf von {target} clo {place}',
    fr: 'Juste ce qu’il faut : {icl} clo pour un besoin de {target} clo {place}',
    es: 'Justo lo necesario: {icl} clo para una necesidad de {target} clo {place}',
    it: 'Perfetto: {icl} clo per un fabbisogno di {target} clo {place}',
    nl: 'Precies goed: {icl} clo bij een behoefte van {target} clo {place}',
  },
  'thermal.cool': {
    en: 'On the cool side: {icl} clo for a need of {target} clo {place}',
    de: 'Eher kühl: {icl} clo bei einem Bedarf von {target} clo {place}',
    fr: 'Un peu frais : {icl} clo pour un besoin de {target} clo {place}',
    es: 'Un poco fresco: {icl} clo para una necesidad de {target} clo {place}',
    it: 'Un po’ fresco: {icl} clo per un fabbisogno di {target} clo {place}',
    nl: 'Aan de koele kant: {icl} clo bij een behoefte van {target} clo {place}',
  },
  'thermal.warm': {
    en: 'On the warm side: {icl} clo for a need of {target} clo {place}',
    de: 'Eher warm: {icl} clo bei einem Bedarf von {target} clo {place}',
    fr: 'Un peu chaud : {icl} clo pour un besoin de {target} clo {place}',
    es: 'Un poco caluroso: {icl} clo para una necesidad de {target} clo {place}',
    it: 'Un po’ caldo: {icl} clo per un fabbisogno di {target} clo {place}',
    nl: 'Aan de warme kant: {icl} clo bij een behoefte van {target} clo {place}',
  },
  'region.{slot}.low': {
    en: '{region}: {clo} clo, less than the target of {target} clo',
    de: '{region}: {clo} clo, weniger als der Zielwert von {target} clo',
    fr: '{region} : {clo} clo, moins que la cible de {target} clo',
    es: '{region}: {clo} clo, menos que el objetivo de {target} clo',
    it: '{region}: {clo} clo, meno dell’obiettivo di {target} clo',
    nl: '{region}: {clo} clo, minder dan het doel van {target} clo',
  },
  'region.{slot}.high': {
    en: '{region}: {clo} clo, more than the target of {target} clo',
    de: '{region}: {clo} clo, mehr als der Zielwert von {target} clo',
    fr: '{region} : {clo} clo, plus que la cible de {target} clo',
    es: '{region}: {clo} clo, más que el objetivo de {target} clo',
    it: '{region}: {clo} clo, più dell’obiettivo di {target} clo',
    nl: '{region}: {clo} clo, meer dan het doel van {target} clo',
  },
  'rain.ok': {
    en: 'Keeps you dry: {has} for a need of {need}',
    de: 'Hält Nässe ab: {has} bei einem Bedarf von {need}',
    fr: 'Garde au sec : {has} pour un besoin de {need}',
    es: 'Mantiene seco: {has} para una necesidad de {need}',
    it: 'Tiene all’asciutto: {has} per un fabbisogno di {need}',
    nl: 'Houdt je droog: {has} bij een behoefte van {need}',
  },
  'rain.exposed': {
    en: 'Lets the wet in: {has} for a need of {need}',
    de: 'Lässt Nässe durch: {has} bei einem Bedarf von {need}',
    fr: 'Ne garde pas au sec : {has} pour un besoin de {need}',
    es: 'No mantiene seco: {has} para una necesidad de {need}',
    it: 'Non tiene all’asciutto: {has} per un fabbisogno di {need}',
    nl: 'Houdt je niet droog: {has} bij een behoefte van {need}',
  },
  'wind.ok': {
    en: 'Keeps the wind out: {has} for a need of {need}',
    de: 'Hält den Wind ab: {has} bei einem Bedarf von {need}',
    fr: 'Protège du vent : {has} pour un besoin de {need}',
    es: 'Protege del viento: {has} para una necesidad de {need}',
    it: 'Protegge dal vento: {has} per un fabbisogno di {need}',
    nl: 'Houdt de wind tegen: {has} bij een behoefte van {need}',
  },
  'wind.exposed': {
    en: 'Lets the wind in: {has} for a need of {need}',
    de: 'Lässt den Wind durch: {has} bei einem Bedarf von {need}',
    fr: 'Laisse passer le vent : {has} pour un besoin de {need}',
    es: 'Deja pasar el viento: {has} para una necesidad de {need}',
    it: 'Lascia passare il vento: {has} per un fabbisogno di {need}',
    nl: 'Laat de wind door: {has} bij een behoefte van {need}',
  },
  'occasion.match': {
    en: 'Right for the occasion: {occasion}',
    de: 'Passt zum Anlass: {occasion}',
    fr: 'Convient à l’occasion : {occasion}',
    es: 'Adecuado para la ocasión: {occasion}',
    it: 'Adatto all’occasione: {occasion}',
    nl: 'Past bij de gelegenheid: {occasion}',
  },
  'occasion.off': {
    en: 'Not quite right for the occasion: {occasion}',
    de: 'Passt nicht ganz zum Anlass: {occasion}',
    fr: 'Ne convient pas tout à fait à l’occasion : {occasion}',
    es: 'No del todo adecuado para la ocasión: {occasion}',
    it: 'Non del tutto adatto all’occasione: {occasion}',
    nl: 'Past niet helemaal bij de gelegenheid: {occasion}',
  },
  'color.harmony': {
    en: 'Harmony of the colours: {harmony} of 1',
    de: 'Harmonie der Farben: {harmony} von 1',
    fr: 'Harmonie des couleurs : {harmony} sur 1',
    es: 'Armonía de los colores: {harmony} de 1',
    it: 'Armonia dei colori: {harmony} su 1',
    nl: 'Harmonie van de kleuren: {harmony} van 1',
  },
  'variety.repeat': {
    en: 'Much of it was worn or suggested before',
    de: 'Vieles davon wurde schon getragen oder vorgeschlagen',
    fr: 'Une grande partie a déjà été portée ou proposée',
    es: 'Gran parte ya se ha llevado o propuesto',
    it: 'Gran parte è già stata indossata o proposta',
    nl: 'Veel ervan is al gedragen of voorgesteld',
  },
  'data.missing': {
    en: 'Items without a known colour: {items}',
    de: 'Teile ohne bekannte Farbe: {items}',
    fr: 'Articles sans couleur connue : {items}',
    es: 'Prendas sin color conocido: {items}',
    it: 'Capi senza colore noto: {items}',
    nl: 'Kledingstukken zonder bekende kleur: {items}',
  },
} as const satisfies Readonly<Record<string, Text>>;

/** The regions of the targets, as the subject of a sentence. */
// biome-ignore format: a table reads best aligned
export const REGION_NAMES = {
  top:       { en: 'Upper body', de: 'Oberkörper', fr: 'Haut du corps', es: 'Parte superior', it: 'Parte superiore', nl: 'Bovenlichaam' },
  outerwear: { en: 'Outerwear', de: 'Überbekleidung', fr: 'Vêtements d’extérieur', es: 'Ropa de exterior', it: 'Capispalla', nl: 'Buitenkleding' },
  dress:     { en: 'Dress', de: 'Kleid', fr: 'Robe', es: 'Vestido', it: 'Vestito', nl: 'Jurk' },
  bottom:    { en: 'Legs', de: 'Beine', fr: 'Jambes', es: 'Piernas', it: 'Gambe', nl: 'Benen' },
  shoes:     { en: 'Shoes', de: 'Schuhe', fr: 'Chaussures', es: 'Calzado', it: 'Scarpe', nl: 'Schoenen' },
  accessory: { en: 'Accessories', de: 'Accessoires', fr: 'Accessoires', es: 'Accesorios', it: 'Accessori', nl: 'Accessoires' },
} as const satisfies Readonly<Record<string, Text>>;

/** The plans, as adverbs of place. */
// biome-ignore format: a table reads best aligned
export const PLACES = {
  indoor:  { en: 'indoors', de: 'drinnen', fr: 'à l’intérieur', es: 'en interior', it: 'al chiuso', nl: 'binnen' },
  outdoor: { en: 'outdoors', de: 'draußen', fr: 'à l’extérieur', es: 'al aire libre', it: 'all’aperto', nl: 'buiten' },
} as const satisfies Readonly<Record<string, Text>>;

/** The warning codes as labels. */
export const WARNINGS = {
  'limited-exposure': {
    en: 'Limit the time outside',
    de: 'Zeit im Freien begrenzen',
    fr: 'Limitez le temps passé dehors',
    es: 'Limita el tiempo al aire libre',
    it: 'Limita il tempo all’aperto',
    nl: 'Beperk de tijd buiten',
  },
  'frostbite-risk': {
    en: 'Risk of frostbite',
    de: 'Gefahr von Erfrierungen',
    fr: 'Risque de gelures',
    es: 'Riesgo de congelación',
    it: 'Rischio di congelamento',
    nl: 'Kans op bevriezing',
  },
  'heat-stress': {
    en: 'Heat stress',
    de: 'Hitzebelastung',
    fr: 'Stress dû à la chaleur',
    es: 'Estrés por calor',
    it: 'Stress da calore',
    nl: 'Hittestress',
  },
  'too-cold': {
    en: 'Too cold',
    de: 'Zu kalt',
    fr: 'Trop froid',
    es: 'Demasiado frío',
    it: 'Troppo freddo',
    nl: 'Te koud',
  },
  'too-warm': {
    en: 'Too warm',
    de: 'Zu warm',
    fr: 'Trop chaud',
    es: 'Demasiado caluroso',
    it: 'Troppo caldo',
    nl: 'Te warm',
  },
} as const satisfies Readonly<Record<string, Text>>;

/** Why items were left out, or why there is no outfit. `{slot}` is a word of the language. */
export const DIAGNOSTICS = {
  excluded: {
    en: 'Items excluded by the request: {count}',
    de: 'Von der Anfrage ausgeschlossene Teile: {count}',
    fr: 'Articles exclus par la demande : {count}',
    es: 'Prendas excluidas por la solicitud: {count}',
    it: 'Capi esclusi dalla richiesta: {count}',
    nl: 'Door het verzoek uitgesloten kledingstukken: {count}',
  },
  unavailable: {
    en: 'Items not available: {count}',
    de: 'Nicht verfügbare Teile: {count}',
    fr: 'Articles non disponibles : {count}',
    es: 'Prendas no disponibles: {count}',
    it: 'Capi non disponibili: {count}',
    nl: 'Niet beschikbare kledingstukken: {count}',
  },
  'not-outfit-material': {
    en: 'Items that are not worn in outfits: {count}',
    de: 'Teile, die nicht zu Outfits gehören: {count}',
    fr: 'Articles qui ne font pas partie d’une tenue : {count}',
    es: 'Prendas que no forman parte de conjuntos: {count}',
    it: 'Capi che non fanno parte di un outfit: {count}',
    nl: 'Kledingstukken die niet bij een outfit horen: {count}',
  },
  'not-for-occasion': {
    en: 'Items not right for the occasion: {count}',
    de: 'Teile, die nicht zum Anlass passen: {count}',
    fr: 'Articles qui ne conviennent pas à l’occasion : {count}',
    es: 'Prendas inadecuadas para la ocasión: {count}',
    it: 'Capi non adatti all’occasione: {count}',
    nl: 'Kledingstukken die niet bij de gelegenheid passen: {count}',
  },
  'not-in-rain': {
    en: 'Items not to be worn in this wet weather: {count}',
    de: 'Teile, die nicht in diese Nässe gehören: {count}',
    fr: 'Articles à ne pas porter par ce temps humide : {count}',
    es: 'Prendas que no deben llevarse con este tiempo húmedo: {count}',
    it: 'Capi da non indossare con questo tempo umido: {count}',
    nl: 'Kledingstukken die niet in dit natte weer gedragen worden: {count}',
  },
  'not-in-cold': {
    en: 'Items not to be worn in this cold: {count}',
    de: 'Teile, die nicht in diese Kälte gehören: {count}',
    fr: 'Articles à ne pas porter par ce froid : {count}',
    es: 'Prendas que no deben llevarse con este frío: {count}',
    it: 'Capi da non indossare con questo freddo: {count}',
    nl: 'Kledingstukken die niet in deze kou gedragen worden: {count}',
  },
  'empty-wardrobe': {
    en: 'There are no items to choose from',
    de: 'Es gibt keine Teile zur Auswahl',
    fr: 'Il n’y a aucun article à choisir',
    es: 'No hay prendas entre las que elegir',
    it: 'Non ci sono capi tra cui scegliere',
    nl: 'Er zijn geen kledingstukken om uit te kiezen',
  },
  'missing-slot': {
    en: 'Nothing is left for this part of an outfit: {slot}',
    de: 'Für diesen Teil eines Outfits bleibt nichts übrig: {slot}',
    fr: 'Il ne reste rien pour cette partie de la tenue : {slot}',
    es: 'No queda nada para esta parte del conjunto: {slot}',
    it: 'Non resta nulla per questa parte dell’outfit: {slot}',
    nl: 'Voor dit deel van een outfit blijft niets over: {slot}',
  },
  'limits-too-tight': {
    en: 'Days without an outfit, because too few items may come along or they need washing: {count}',
    de: 'Tage ohne Outfit, weil zu wenige Teile mitdürfen oder sie gewaschen werden müssen: {count}',
    fr: 'Jours sans tenue, car trop peu d’articles sont permis ou il faut les laver : {count}',
    es: 'Días sin conjunto, porque se permiten muy pocas prendas o hay que lavarlas: {count}',
    it: 'Giorni senza outfit, perché sono ammessi troppo pochi capi o vanno lavati: {count}',
    nl: 'Dagen zonder outfit, omdat er te weinig kledingstukken mee mogen of ze gewassen moeten worden: {count}',
  },
  'too-similar': {
    en: 'Outfits that share at most half of their visible pieces: {count}',
    de: 'Outfits, die höchstens die Hälfte ihrer sichtbaren Teile teilen: {count}',
    fr: 'Tenues qui partagent au plus la moitié de leurs pièces visibles : {count}',
    es: 'Conjuntos que comparten como máximo la mitad de sus prendas visibles: {count}',
    it: 'Outfit che condividono al massimo metà dei capi visibili: {count}',
    nl: 'Outfits die hoogstens de helft van hun zichtbare kledingstukken delen: {count}',
  },
  'no-combination': {
    en: 'The items that are left make no complete outfit',
    de: 'Die übrigen Teile ergeben kein vollständiges Outfit',
    fr: 'Les articles restants ne forment pas une tenue complète',
    es: 'Las prendas restantes no forman un conjunto completo',
    it: 'I capi rimasti non formano un outfit completo',
    nl: 'De resterende kledingstukken vormen geen complete outfit',
  },
} as const satisfies Readonly<Record<string, Text>>;

/** What `no-combination` says if items of `must` exclude each other. */
export const MUST_CONFLICT: Text = {
  en: 'The items that must be worn do not go together',
  de: 'Die Teile, die getragen werden müssen, passen nicht zusammen',
  fr: 'Les articles à porter absolument ne vont pas ensemble',
  es: 'Las prendas que hay que llevar no se pueden combinar',
  it: 'I capi da indossare per forza non si possono abbinare',
  nl: 'De kledingstukken die gedragen moeten worden, gaan niet samen',
};

/** The slots that a wardrobe can lack, as words. */
// biome-ignore format: a table reads best aligned
export const SLOT_NAMES = {
  top:    { en: 'top', de: 'Oberteil', fr: 'haut', es: 'prenda superior', it: 'capo superiore', nl: 'bovenstuk' },
  bottom: { en: 'trousers or skirt', de: 'Hose oder Rock', fr: 'pantalon ou jupe', es: 'pantalón o falda', it: 'pantaloni o gonna', nl: 'broek of rok' },
  shoes:  { en: 'shoes', de: 'Schuhe', fr: 'chaussures', es: 'calzado', it: 'scarpe', nl: 'schoenen' },
} as const satisfies Readonly<Record<string, Text>>;

/** Why something is put on for outside. */
export const SHELL_REASONS = {
  'colder-outside': {
    en: 'It is colder outside',
    de: 'Draußen ist es kälter',
    fr: 'Il fait plus froid dehors',
    es: 'Fuera hace más frío',
    it: 'Fuori fa più freddo',
    nl: 'Buiten is het kouder',
  },
  rain: {
    en: 'It is wet outside',
    de: 'Draußen ist es nass',
    fr: 'Il fait humide dehors',
    es: 'Fuera está mojado',
    it: 'Fuori è bagnato',
    nl: 'Buiten is het nat',
  },
  wind: {
    en: 'It is windy outside',
    de: 'Draußen ist es windig',
    fr: 'Il y a du vent dehors',
    es: 'Fuera hace viento',
    it: 'Fuori c’è vento',
    nl: 'Buiten waait het',
  },
  'no-sufficient-outerwear': {
    en: 'Nothing in the wardrobe is warm enough for outside',
    de: 'Nichts im Kleiderschrank ist warm genug für draußen',
    fr: 'Rien dans la garde-robe n’est assez chaud pour l’extérieur',
    es: 'Nada del armario abriga lo suficiente para salir',
    it: 'Nulla nel guardaroba è abbastanza caldo per l’esterno',
    nl: 'Niets in de kast is warm genoeg voor buiten',
  },
} as const satisfies Readonly<Record<string, Text>>;
