import type { Locale } from './dictionary/schema.ts';
import type { ReviewReason } from './response-schema.ts';

type Text = Readonly<Record<Locale, string>>;

/** Why a person should look at a classification. */
export const REVIEW_TEXTS: Readonly<Record<ReviewReason, Text>> = {
  'low-confidence': {
    en: 'The category is not certain',
    de: 'Die Kategorie ist nicht sicher',
    fr: 'La catégorie n’est pas certaine',
    es: 'La categoría no es segura',
    it: 'La categoria non è certa',
    nl: 'De categorie is niet zeker',
  },
  'image-text-disagree': {
    en: 'The photo and the text show different articles',
    de: 'Foto und Text zeigen verschiedene Artikel',
    fr: 'La photo et le texte désignent des articles différents',
    es: 'La foto y el texto muestran artículos distintos',
    it: 'La foto e il testo indicano articoli diversi',
    nl: 'De foto en de tekst tonen verschillende artikelen',
  },
  'text-category-disagree': {
    en: 'The title and the category name different articles',
    de: 'Titel und Kategorie nennen verschiedene Artikel',
    fr: 'Le titre et la catégorie désignent des articles différents',
    es: 'El título y la categoría indican artículos distintos',
    it: 'Il titolo e la categoria indicano articoli diversi',
    nl: 'De titel en de categorie noemen verschillende artikelen',
  },
  'language-not-supported': {
    en: 'The text seems to be in a language that is not supported',
    de: 'Der Text ist wohl in einer Sprache, die nicht unterstützt wird',
    fr: 'Le texte semble être dans une langue non prise en charge',
    es: 'El texto parece estar en un idioma no admitido',
    it: 'Il testo sembra essere in una lingua non supportata',
    nl: 'De tekst lijkt in een taal te zijn die niet wordt ondersteund',
  },
  'not-a-garment': {
    en: 'No garment was recognised',
    de: 'Es wurde kein Kleidungsstück erkannt',
    fr: 'Aucun vêtement n’a été reconnu',
    es: 'No se ha reconocido ninguna prenda',
    it: 'Non è stato riconosciuto alcun capo',
    nl: 'Er is geen kledingstuk herkend',
  },
  'multiple-garments': {
    en: 'The photo may show several garments',
    de: 'Das Foto zeigt vielleicht mehrere Kleidungsstücke',
    fr: 'La photo montre peut-être plusieurs vêtements',
    es: 'La foto puede mostrar varias prendas',
    it: 'La foto potrebbe mostrare più capi',
    nl: 'De foto toont misschien meerdere kledingstukken',
  },
  'too-small': {
    en: 'The photo is too small to be read well',
    de: 'Das Foto ist zu klein, um es gut zu erkennen',
    fr: 'La photo est trop petite pour être bien lue',
    es: 'La foto es demasiado pequeña para leerla bien',
    it: 'La foto è troppo piccola per essere letta bene',
    nl: 'De foto is te klein om goed te lezen',
  },
  'colour-mismatch': {
    en: 'The colour of the photo differs from that of the text',
    de: 'Die Farbe des Fotos weicht von der im Text ab',
    fr: 'La couleur de la photo diffère de celle du texte',
    es: 'El color de la foto difiere del que indica el texto',
    it: 'Il colore della foto è diverso da quello del testo',
    nl: 'De kleur van de foto wijkt af van die in de tekst',
  },
  'material-missing': {
    en: 'No material is given',
    de: 'Es ist kein Material angegeben',
    fr: 'Aucune matière n’est indiquée',
    es: 'No se indica ningún material',
    it: 'Non è indicato alcun materiale',
    nl: 'Er is geen materiaal vermeld',
  },
};

/** What was not used of a feed row. `{column}` is its name. */
export const COLUMN_WARNINGS = {
  unknown: {
    en: 'The column "{column}" is unknown and was ignored',
    de: 'Die Spalte „{column}“ ist unbekannt und wurde ignoriert',
    fr: 'La colonne « {column} » est inconnue et a été ignorée',
    es: 'La columna «{column}» es desconocida y se ha ignorado',
    it: 'La colonna «{column}» è sconosciuta ed è stata ignorata',
    nl: 'De kolom ‘{column}’ is onbekend en werd genegeerd',
  },
  unrecognised: {
    en: 'The column "{column}" has no word the dictionary knows',
    de: 'Die Spalte „{column}“ enthält kein Wort, das das Wörterbuch kennt',
    fr: 'La colonne « {column} » ne contient aucun mot connu du dictionnaire',
    es: 'La columna «{column}» no contiene ninguna palabra que el diccionario conozca',
    it: 'La colonna «{column}» non contiene parole note al dizionario',
    nl: 'De kolom ‘{column}’ bevat geen woord dat het woordenboek kent',
  },
} as const satisfies Readonly<Record<string, Text>>;
