/**
 * The columns of one kind of export. Each is a list of names as `plainName` spells them: of `id` and `image` the
 * first that the feed has is read, of `images` all. `/` leads into nested elements, `@` to an attribute.
 */
export interface Preset {
  id: string;
  image: string;
  images?: string;
  title?: string;
  category?: string;
  /** Names of which the feed must have one: without them other exports would fit too. */
  marks?: string;
  /** Between the links of one value, where they may be relative. */
  separator?: string;
  /** Rows with the same id, one after the other, are one product. */
  group?: true;
}

/** Column names of shops and networks, as their exports have them; the names of Google and Meta are in columns.ts. */
export const PRESETS = {
  shopify: {
    id: 'handle urlhandle',
    image: 'imagesrc productimageurl',
    images: 'variantimage variantimageurl',
    title: 'title',
    category: 'productcategory type',
    group: true,
  },
  wix: {
    id: 'handleid',
    image: 'productimageurl',
    title: 'name',
    category: 'collection',
    separator: ';',
    group: true,
  },
  woocommerce: {
    id: 'id identyfikator sku artikelnummer ugs',
    image:
      'images bilder imagenes immagini afbeeldingen imagens obrazki obrazky kepek kuvat billeder zdjecia',
    title: 'name nom nombre nome naam nazwa nazev nimi navn namn',
    category: 'categories kategorien categorias categorie kategorie',
    marks:
      'published veroffentlicht publie publicado pubblicato gepubliceerd type typ tipo rodzaj opublikowano inhaltstyp visibilityincatalog',
    separator: ',',
  },
  magento: {
    id: 'sku',
    image: 'baseimage image',
    images: 'additionalimages mediaimage',
    title: 'name',
    category: 'categories',
    group: true,
    marks: 'baseimage smallimage thumbnailimage attributesetcode mediaimage',
    separator: ',',
  },
  prestashop: {
    id: 'productid id',
    image:
      'imageurls(x,y,z) imageurls(xyz) imagesurl(xyz) imagesurl(x,y,z) urldesimages(x,y,z) urldesimages(xyz) bildurls(x,y,z) bildurls(xyz) urlsimagenes(x,y,z) urldelasimagenes(x,y,z) urldelaimagen(x,y,z) urldasimagens(x,y,z) urldaimagem(x,y,z) bildurl(x,y,z) urlimmagini(x,y,z) urlimmagine(x,y,z) urldelleimmagini(x,y,z) afbeeldingurls(x,y,z) urlafbeeldingen(x,y,z) adresyurlzdjec(x,y,z) urlzdjecia(x,y,z) urlobrazku(x,y,z) imagesurl imageurlsxyz urldesimages',
    title: 'name nom nombre nome naam',
    category: 'categories(x,y,z) categories(xyz)',
    separator: ',',
  },
  awin: {
    id: 'awproductid merchantproductid @id',
    image: 'merchantimageurl awimageurl largeimage uri/mimage uri/awimage',
    images: 'alternateimage alternateimagetwo alternateimagethree alternateimagefour',
    title: 'productname text/name',
    category: 'merchantcategory categoryname',
  },
  criteo: {
    id: 'id productid',
    image: 'bigimage smallimage imageurl',
    images: 'filters/extraimage extraimage',
    title: 'name title',
    category: 'categoryid1 category',
    marks: 'bigimage smallimage producturl recommendable retailprice',
  },
  idealo: {
    id: 'sku offerid articlenumber artikelnummer',
    image: 'imageurls imageurl bildurls bildurl',
    title: 'title produktname',
    category: 'categorypath produktgruppe',
    marks:
      'imageurls paymentcostspaypal deliverytime eans checkoutlimitperperiod herstellerartikelnummer',
  },
  heureka: {
    id: 'itemid',
    image: 'imgurl',
    images: 'imgurlalternative',
    title: 'productname product',
    category: 'categorytext',
  },
  'shopify-json': {
    id: 'handle id',
    image: 'images/src image/src featuredimage/url images/url',
    title: 'title name',
    category: 'producttype',
    marks: 'handle variants variants/id vendor images/src',
  },
} as const satisfies Readonly<Record<string, Preset>>;

/** Elements or keys with the pictures of a product, what is within them, and what in that has the address. */
const AROUND = ['images', 'additionalimages', 'pictures', 'photos', 'imgs', 'gallery', 'media'];
const PICTURE = [
  'image',
  'mainimage',
  'primaryimage',
  'featuredimage',
  'coverimage',
  'defaultimage',
  'picture',
  'photo',
  'img',
  'main',
  'item',
];
const ADDRESS = [
  'url',
  'src',
  'link',
  'location',
  'href',
  'imageurl',
  'original',
  'large',
  '@url',
  '@src',
  '@href',
];

const withAddress = (names: readonly string[]): string[] =>
  names.flatMap((name) => [name, ...ADDRESS.map((address) => `${name}/${address}`)]);

const NESTED = withAddress([
  ...PICTURE,
  ...AROUND.flatMap((around) => [around, ...PICTURE.map((picture) => `${around}/${picture}`)]),
]).join(' ');

/** The commonest names, for feeds that none of the others fits. */
export const PLAIN: Preset = {
  id: 'id @id sku customid customlabel itemsku productid productsid pid idproduit idproducto idprodotto produktid skuid itemid offerid articleid artikelid articleno articlenumber articlecode artikelnummer artikelnr artnr itemnumber itemno ordernumber productcode productnumber productno code reference ref referencia referenz referentie riferimento uniqueid identifiantunique identifiantoffre identifiantproduit uid handle key mpn gtin ean barcode asin guid offers/offer/@id nr numer indeks codigo codice',
  image:
    'imagelink imageurl image img imgurl imagesrc imageurls mainimage mainimageurl mainimagelink primaryimage primaryimageurl productimage productimageurl productsimage pimage baseimage imagepath imagename imagefile picture pictureurl picurl photo photourl bild bildurl bildurls bildlink produktbild images imagelinks pictures photos hostedimageurls urlimage urlsimages largeimage bigimage imagelarge imagelargeurl imagebig featuredimage featuredimageurl heroimage coverimage mediaurl media imageuri imagen urlimagen imagenurl lienimage urldelimage foto fotourl fotos urlfoto immagine urlimmagine afbeelding afbeeldingurl zdjecie zdjecia obrazek obrazekurl kep kepurl enclosure/@url content/@url group/content/@url thumbnail thumbnailurl imagesmall smallimage thumb image1url imageurl1st '.concat(
      NESTED,
    ),
  images:
    'additionalimagelink additionalimagelinks additionalimageurl additionalimageurls additionalimages additionalimage moreimages extraimages extraimage otherimages otherimage otherimageurl otherimageurls alternateimage alternateimages alternateimageurl alternativeimage secondaryimages secondaryimage imgurlalternative galleryimages gallery galleryurls images imageurls pictures photos weiterebilder zusatzbilder imgs/i/@url '.concat(
      NESTED,
    ),
  title:
    'title name nom nombre nome naam nazwa nazev nev productname producttitle produktname artikelname itemname itemtitle titel bezeichnung artikelbezeichnung productdisplayname label tittel designation',
  category:
    'producttype category categories categorypath categoryname kategorie kategorien categorytext cat',
};
