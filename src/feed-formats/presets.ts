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
  woocommerce: {
    id: 'id sku artikelnummer ugs',
    image: 'images bilder imagenes immagini afbeeldingen',
    title: 'name nom nombre nome naam',
    category: 'categories kategorien categorias categorie',
    marks:
      'published veroffentlicht publie publicado pubblicato gepubliceerd type typ inhaltstyp visibilityincatalog',
    separator: ',',
  },
  magento: {
    id: 'sku',
    image: 'baseimage image',
    images: 'additionalimages mediaimage',
    title: 'name',
    category: 'categories',
    marks: 'baseimage smallimage thumbnailimage attributesetcode mediaimage',
    separator: ',',
  },
  prestashop: {
    id: 'productid id',
    image:
      'imageurls(x,y,z) imageurls(xyz) imagesurl(xyz) imagesurl(x,y,z) urldesimages(x,y,z) urldesimages(xyz) bildurls(x,y,z) bildurls(xyz)',
    title: 'name',
    category: 'categories(x,y,z) categories(xyz)',
    separator: ',',
  },
  awin: {
    id: 'awproductid merchantproductid',
    image: 'merchantimageurl awimageurl largeimage',
    images: 'alternateimage alternateimagetwo alternateimagethree alternateimagefour',
    title: 'productname',
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
    id: 'sku offerid articlenumber',
    image: 'imageurls imageurl',
    title: 'title',
    category: 'categorypath',
    marks: 'imageurls paymentcostspaypal deliverytime eans checkoutlimitperperiod',
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
    image: 'images/src image/src',
    title: 'title',
    category: 'producttype',
    marks: 'handle variants variants/id vendor images/src',
  },
} as const satisfies Readonly<Record<string, Preset>>;

/** The commonest names, for feeds that none of the others fits. */
export const PLAIN: Preset = {
  id: 'id @id sku customid productid itemid offerid articleid articleno articlenumber artikelnummer artnr itemnumber productcode code reference ref uniqueid uid handle mpn gtin ean barcode',
  image:
    'imagelink imageurl image img imgurl imagesrc imageurls mainimage mainimageurl mainimagelink primaryimage primaryimageurl productimage productimageurl baseimage imagepath picture pictureurl photo photourl bild bildurl bildlink images imagelinks pictures photos images/image images/img images/url images/src images/link images/imageurl image/url image/src image/link pictures/picture photos/photo imgs/img imgs/main media/image largeimage bigimage thumbnail thumbnailurl imagen urlimagen lienimage foto fotourl zdjecie obrazek',
  images:
    'additionalimagelink additionalimagelinks additionalimageurl additionalimageurls additionalimages additionalimage moreimages extraimages otherimages otherimageurl alternateimage alternateimages alternativeimage imgurlalternative galleryimages gallery images imageurls pictures photos images/image images/img images/url images/src images/link images/imageurl additionalimages/image additionalimages/url additionalimages/imageurl pictures/picture photos/photo imgs/img imgs/i gallery/image',
  title: 'title name productname producttitle itemname titel bezeichnung nom nombre nome naam',
  category: 'producttype category categories categorypath categoryname kategorie categorytext',
};
