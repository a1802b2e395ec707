/** The attributes of Google's product data that are read; other columns are passed through unread. */
const COLUMNS = [
  'id',
  'title',
  'description',
  'productType',
  'googleProductCategory',
  'material',
  'color',
  'gender',
  'ageGroup',
  'brand',
  'imageLink',
  'additionalImageLink',
] as const;

export type Column = (typeof COLUMNS)[number];

/** Columns that an export can fill, and the names under which it adds them. */
export const FILLED_COLUMNS = {
  google_product_category: 'googleProductCategory',
  color: 'color',
  material: 'material',
} as const satisfies Readonly<Record<string, Column>>;
export type FilledColumn = keyof typeof FILLED_COLUMNS;

/** Values for the columns of one row; an empty one leaves the row without a value. */
export type FilledValues = ReadonlyMap<FilledColumn, string>;

/** Returns the index of a row's cell for a column, or -1; the first counts. */
export const cellOf = (
  cells: readonly { name: Column | undefined }[],
  column: FilledColumn,
): number => cells.findIndex(({ name }) => name === FILLED_COLUMNS[column]);

/** Google's name of a column in brackets after another language's: `Bildlink [image_link]`. */
const IN_BRACKETS = /\[([a-z_]+)\]\s*$/;

/** Words in brackets, as Squarespace has them: `Product ID [Non Editable]`. */
const REMARK = /\s*\[\w+(?: \w+)+\]\s*$/;

/** What GraphQL, Elasticsearch and Strapi put around the members of a product. */
const WRAPPERS = /(?<![^/])(?:edges|node|source|attributes)\//g;

/** Normalises a column name: no case, accents, spaces, punctuation, wrappers or Google's prefix. */
export const plainName = (label: string): string =>
  (IN_BRACKETS.exec(label)?.[1] ?? label.replace(REMARK, ''))
    .normalize('NFKD')
    .toLowerCase()
    .replace(/^\s*g:/, '')
    .replaceAll(/[\s_\-\p{M}'’:*.]+/gu, '')
    .replaceAll(WRAPPERS, '');

/**
 * Google's names in the languages of its help pages, the plurals and `offerId` of its JSON, Atom's element names,
 * and the indices of Meta's (`image[0].url`); spelt as by `plainName`.
 */
const GOOGLE: Readonly<Record<Column, string>> = {
  id: 'id offerid identifiant identificador identificatore identyfikator идентификатор kimlik tunnus azonosito identificator ідентифікатор معرف المعرف מזהה ma αναγνωριστικο 商品id',
  title:
    'title titel titre titulo titolo tytul tytuł nazwa nazov nazev nimi tittel название baslık cim titlu 商品名',
  description:
    'description summary content beschreibung descripcion descrizione beschrijving descricao opis beskrivning beskrivelse popis 商品説明',
  productType:
    'producttype producttypes produkttyp typedeproduit tipodeproducto tipodiprodotto tipodeproduto typproduktu produkttype',
  googleProductCategory:
    'googleproductcategory googleproduktkategorie categoriedeproduitsgoogle categoriegoogle categoriadeproductodegoogle categoriadeproductosdegoogle categoriaprodottogoogle categoriadeprodottigoogle googleproductcategorie categoriadeprodutosdogoogle kategoriaproduktowgoogle',
  material: 'material matiere materiale materiaal materiał',
  color: 'color colour farbe couleur colore kleur cor kolor farg farve barva',
  gender: 'gender geschlecht sexe sexo sesso genere geslacht genero plec kon køn pohlavi',
  ageGroup:
    'agegroup altersgruppe tranchedage grupodeedad fasciadeta leeftijdsgroep faixaetaria grupawiekowa aldersgrupp aldersgruppe',
  brand: 'brand marke marque marca merk marka varumarke mærke znacka',
  imageLink:
    'imagelink image[0]url bildlink liendelimage lienimage lienverslimage enlaceimagen enlacedeimagen enlacedelaimagen linkimmagine linkdellimmagine afbeeldingslink afbeeldinglink linknaarafbeelding linkimagem linkdaimagem linkdeimagem linkdozdjecia linkdoobrazu linkobrazka bildlank billedlink bildelenke bildelink bildekobling odkaznaobrazek odkaznaobrazok enlacealaimagen enlaceaimagen lienversimage lienlimage linkparaimagem linkimagine linkulimaginii linkcatreimagine посиланняназображення ссылканаизображение resimbaglantısı gorselbaglantısı kuvalinkki kuvanlinkki keplink keplinkje رابطالصورة קישורלתמונה lienkethinhanh συνδεσμοςεικονας povezavanasliko 圖片連結 图片链接 이미지링크 商品画像リンク 画像リンク',
  additionalImageLink:
    'additionalimagelink additionalimagelinks zusatzlicherbildlink zusatzlichebildlink weitererbildlink weiterebildlinks liendelimagesupplementaire lienimagesupplementaire liensdimagessupplementaires liensupplementairedimage enlaceimagenadicional enlacedeimagenadicional enlacesdeimagenesadicionales linkimmagineaggiuntiva linkaggiuntivoimmagine linkimmaginiaggiuntive extraafbeeldingslink aanvullendeafbeeldingslink extraafbeeldinglink linkimagemadicional linkdaimagemadicional linkdeimagemadicional dodatkowylinkdozdjecia dodatkowylinkdoobrazu ytterligarebildlank yderligerebilledlink ekstrabilledlink ekstrabildelink ekstrabildekobling flerebildelinker dalsiodkaznaobrazek dalsiodkaznaobrazok enlaceaimagenadicional enlacealaimagenadicional дополнительнаяссылканаизображение ekresimbaglantısı ekgorselbaglantısı lisakuvalinkki kiegeszitokeplink linkimaginesuplimentara linkimaginisuplimentare додатковепосиланняназображення رابطصورةاضافية קישורלתמונהנוספת lienkethinhanhbosung προσθετοςσυνδεσμοςεικονας 추가이미지링크 其他图片链接 附加图片链接 其他圖片連結 額外圖片連結 追加の商品画像リンク 追加画像リンク',
};

const KNOWN: ReadonlyMap<string, Column> = new Map(
  COLUMNS.flatMap((column) => [
    [column.toLowerCase(), column] as const,
    ...GOOGLE[column].split(' ').map((name) => [plainName(name), column] as const),
  ]),
);

/** A further image has a number: `image[1].url`, `additional_image_link_2`. */
const NUMBERED = /^(?:image\[\d+\]url|(?:additional)?imagelink\[?(\d+)\]?)$/;

/** Returns Google's column of a header, key or element name: `Image Link`, `image_link`, `imageLink`. */
export function columnOf(label: string): Column | undefined {
  const name = plainName(label);
  return KNOWN.get(name) ?? (NUMBERED.test(name) ? 'additionalImageLink' : undefined);
}
