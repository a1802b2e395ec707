import { expect, test } from 'vitest';
import { exportFeed } from '../../src/feed-formats/export.ts';
import { FeedNotes } from '../../src/feed-formats/feed-error.ts';
import type { OpenFeed } from '../../src/feed-formats/open-feed.ts';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import { streamOf } from '../support/feeds.ts';
import { collect } from './read-items.ts';

/** Exports of real programs, by their own names. `~` in them is the address of the images. */
const HOST = 'https://img.example';
const rss = (item: string, attributes = 'xmlns:g="http://base.google.com/ns/1.0"') =>
  `<rss version="2.0" ${attributes}><channel>${item}</channel></rss>`;

// biome-ignore format: a table reads best aligned
const KINDS: readonly { what: string; feed: string | Buffer; rows: string[]; preset?: OpenFeed['reading']['preset']; notes?: string[] }[] = [
  { what: 'Yandex, with its document type', feed: '<?xml version="1.0"?>\n<!DOCTYPE yml_catalog SYSTEM "shops.dtd">\n<yml_catalog><shop><offers><offer id="a"><picture>~/1</picture><picture>~/2</picture></offer></offers></shop></yml_catalog>', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'Ceneo: addresses in attributes', feed: '<offers><o id="a"><name>x</name><imgs><main url="~/1"/><i url="~/2"/><i url="~/3"/></imgs></o></offers>', rows: ['a /1 /2 /3'], preset: 'plain' },
  { what: 'attributes only', feed: '<catalog><item sku="a" image="~/1"/><item sku="b" image="~/2"/></catalog>', rows: ['a /1', 'b /2'], preset: 'plain' },
  { what: 'pictures deep within', feed: '<c><p id="a"><images><image><url>~/1</url></image><image><url>~/2</url></image></images></p></c>', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'TradeDoubler', feed: '<products xmlns="urn:x"><product><productImage height="0">~/1</productImage><offers><offer id="a"><u>x</u></offer></offers></product></products>', rows: ['a /1'], preset: 'plain' },
  { what: 'Awin in XML', feed: '<merchantProductFeed><merchant id="1"><prod id="a"><text><name>x</name></text><uri><awImage>~/9</awImage><mImage>~/1</mImage></uri></prod></merchant></merchantProductFeed>', rows: ['a /1'], preset: 'awin' },
  { what: 'RSS with enclosures', feed: rss('<item><guid>a</guid><enclosure url="~/1" type="image/jpeg"/></item>', ''), rows: ['a /1'], preset: 'plain' },
  { what: 'a prefix of another name', feed: rss('<item><q:id>a</q:id><q:image_link>~/1</q:image_link></item>', 'xmlns:q="http://base.google.com/ns/1.0"'), rows: ['a /1'] },
  { what: 'a bare less-than sign', feed: rss('<item><g:id>a</g:id><d>5 < 6</d><g:image_link>~/1</g:image_link></item>'), rows: ['a /1'], notes: ['bare-ampersands'] },
  { what: 'Latin-1 that is said to be UTF-8', feed: Buffer.from('<?xml version="1.0" encoding="UTF-8"?><rss><channel><item><id>gr\xfcn</id><image_link>https://img.example/1</image_link></item></channel></rss>', 'latin1'), rows: ['grün /1'], notes: ['windows-1252'] },
  { what: 'an encoding that is none', feed: '<?xml version="1.0" encoding="ANSI"?><rss><channel><item><id>a</id><image_link>~/1</image_link></item></channel></rss>', rows: ['a /1'] },
  { what: 'Magento 1: further rows have no id', feed: 'sku,_type,name,image,_media_image\na,simple,x,~/1,~/1\n,,,,~/2\nb,simple,y,~/3,\n', rows: ['a /1 /2', 'b /3'], preset: 'magento' },
  { what: 'Magento 2: a row for each view', feed: 'sku,store_view_code,name,base_image,additional_images\na,,x,~/1,"~/2,~/3"\na,de,y,,\n', rows: ['a /1 /2 /3'], preset: 'magento' },
  { what: 'WooCommerce with commas in links', feed: 'ID,Type,SKU,Name,Published,Images\n1,simple,a,x,1,"~/w_1,h_2/1, ~/w_1,h_2/2"\n', rows: ['1 /w_1,h_2/1 /w_1,h_2/2'], preset: 'woocommerce', notes: ['link-lists'] },
  { what: 'PrestaShop in French', feed: 'ID;Actif (0/1);Nom *;URL des images (x,y,z...)\n1;1;x;~/1,~/2\n', rows: ['1 /1 /2'], preset: 'prestashop' },
  { what: 'idealo in German', feed: 'Artikelnummer;EAN;Herstellerartikelnummer;Produktname;Bild-URL\na;1;2;x;~/1\n', rows: ['a /1'], preset: 'idealo' },
  { what: 'Amazon', feed: 'item_sku,item_name,main_image_url,other_image_url1\na,x,~/1,~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'eBay', feed: '*Action,CustomLabel,*Title,PicURL\nAdd,a,x,~/1|~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'BigCommerce', feed: 'Product ID,Product Name,Product Image URL - 1,Product Image URL - 2\n1,x,~/1,~/2\n', rows: ['1 /1 /2'], preset: 'plain' },
  { what: 'Shopware', feed: 'ordernumber;name;imageUrl\na;x;~/1\n', rows: ['a /1'], preset: 'plain' },
  { what: 'Squarespace: a row for each variant', feed: 'Product ID [Non Editable],Variant ID [Non Editable],Title,SKU,Hosted Image URLs\np,v1,x,a,~/1 ~/my photo 2\np,v2,,b,\nq,v3,y,c,~/3\n', rows: ['p /1 /my photo 2', 'q /3'], preset: 'squarespace', notes: ['link-lists'] },
  { what: 'eBay, with a line about it', feed: '#INFO,Version=0.0.2,Template= eBay-draft-listings\n*Action(SiteID=Germany|Country=DE),Custom label (SKU),Category ID,Title,Item photo URL\nDraft,a,11554,x,~/1|~/2\n', rows: ['a /1 /2'], preset: 'plain', notes: ['text-before', 'link-lists'] },
  { what: 'OXID', feed: '"OXID";"OXARTNUM";"OXTITLE";"OXPIC1";"OXPIC2"\n"1";"a";"x";"~/1";"~/2"\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'JSON-LD', feed: '{"@graph":[{"@type":"Product","sku":"a","image":{"@type":"ImageObject","contentUrl":"~/1"}}]}', rows: ['a /1'], preset: 'plain' },
  { what: 'REST of Magento, absolute', feed: '{"items":[{"sku":"a","media_gallery_entries":[{"id":1,"file":"~/1"},{"id":2,"file":"~/2"}]}]}', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'Lengow', feed: 'ID_PRODUCT|NAME_PRODUCT|IMAGE_PRODUCT|IMAGE_PRODUCT_2\na|x|~/1|~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'plentymarkets', feed: 'ItemID;VariationNumber;ItemTextName1;ItemImageURL\na;v;x;~/1\n', rows: ['a /1'], preset: 'plain' },
  { what: 'TikTok Shop, with a row of remarks', feed: 'Product Name,Main Product Image,Product Image 2,Seller SKU\nProduct Name,Mandatory,Optional,Optional\nx,~/1,~/2,a\n', rows: ['Optional bad-url', 'a /1 /2'], preset: 'plain' },
  { what: 'REST of BigCommerce', feed: '{"data":[{"id":7,"name":"x","images":[{"id":1,"url_standard":"~/9","url_zoom":"~/1"}]}]}', rows: ['7 /1'], preset: 'plain' },
  { what: 'REST of Etsy', feed: '{"count":1,"results":[{"listing_id":7,"title":"x","images":[{"url_75x75":"~/9","url_fullxfull":"~/1"},{"url_75x75":"~/8","url_fullxfull":"~/2"}]}]}', rows: ['7 /1 /2'], preset: 'plain' },
  { what: 'REST of Shopware', feed: '{"data":[{"id":"h","productNumber":"a","translated":{"name":"x"},"cover":{"media":{"url":"~/1"}}}]}', rows: ['h /1'], preset: 'plain' },
  { what: 'Strapi', feed: '{"data":[{"id":1,"attributes":{"title":"x","image":{"data":{"attributes":{"url":"~/1"}}}}}]}', rows: ['1 /1'], preset: 'plain' },
  { what: 'Contentful', feed: '{"items":[{"sys":{"id":"a"},"fields":{"title":"x","image":{"fields":{"file":{"url":"~/1"}}}}}]}', rows: ['a /1'], preset: 'plain' },
  { what: 'BMEcat', feed: '<BMECAT><T_NEW_CATALOG><ARTICLE><SUPPLIER_AID>a</SUPPLIER_AID><MIME_INFO><MIME><MIME_SOURCE>~/1</MIME_SOURCE></MIME><MIME><MIME_SOURCE>~/2</MIME_SOURCE></MIME></MIME_INFO></ARTICLE></T_NEW_CATALOG></BMECAT>', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'Cdiscount', feed: '<ProductPackage xmlns="clr-namespace:Cdiscount"><ProductCollection><Product SellerProductId="a" ShortLabel="x"><Product.Pictures><ProductImage Uri="~/1"/><ProductImage Uri="~/2"/></Product.Pictures></Product></ProductCollection></ProductPackage>', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'a site map with images', feed: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>p/1</loc><image:image><image:loc>~/1</image:loc></image:image></url><url><loc>p/2</loc><image:image><image:loc>~/2</image:loc></image:image></url></urlset>', rows: ['p/1 /1', 'p/2 /2'], preset: 'plain' },
  { what: 'Norwegian', feed: 'id\ttittel\tbildelink\tekstra bildelink\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'] },
  { what: 'Russian', feed: 'идентификатор\tназвание\tссылка на изображение\na\tx\t~/1\n', rows: ['a /1'] },
  { what: 'Turkish', feed: 'kimlik\tbaşlık\tresim bağlantısı\tek resim bağlantısı\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'] },
  { what: 'carets', feed: 'id^title^image_link\na^x^~/1\n', rows: ['a /1'] },
  { what: 'a Mac: CR, and LF within a cell', feed: 'id,title,image_link\ra,"x\ny",~/1\rb,z,~/2\r\n', rows: ['a /1', 'b /2'], notes: ['carriage-returns'] },
  { what: 'a link with commas and no quotes', feed: 'id,title,image_link\na,x,~/w_1,h_2/1\nb,y,~/2\n', rows: ['a /w_1,h_2/1', 'b /2'], notes: ['unquoted-links'] },
  { what: 'a comma that may be of either column', feed: 'id,image_link,title\na,~/1,x, y\nb,~/2,z\n', rows: ['a ragged', 'b /2'] },
  { what: 'a list as in JSON', feed: 'id,image_link,additional_image_link\na,~/1,"[""~/2"", ""~/3""]"\n', rows: ['a /1 /2 /3'] },
  { what: 'a notice of PHP before CSV', feed: '<br />\n<b>Notice</b>: x\nid,title,image_link\na,x,~/1\n', rows: ['a /1'], notes: ['text-before'] },
  { what: 'a notice of PHP before JSON', feed: '<br />\n<b>Notice</b>: "x\n[{"id":"a","image_link":"~/1"}]', rows: ['a /1'], notes: ['text-before'] },
  { what: 'an array with a row a line', feed: '{"products":[\n{"id":"a","image_link":"~/1"},\n{"id":"b","image_link":"~/2"}\n]}', rows: ['a /1', 'b /2'] },
  { what: 'GraphQL of Shopify', feed: '{"data":{"products":{"edges":[{"node":{"id":"a","images":{"edges":[{"node":{"url":"~/1"}},{"node":{"url":"~/2"}}]}}}]}}}', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'REST of WooCommerce', feed: '[{"id":1,"name":"x","sku":"a","images":[{"id":5,"src":"~/1"},{"id":6,"src":"~/2"}]}]', rows: ['1 /1 /2'], preset: 'shopify-json' },
  { what: 'JSON without products', feed: '{"products":[]}', rows: [] },
  { what: 'Awin datafeed, quoted, pipe', feed: '"aw_product_id"|"product_name"|"aw_image_url"|"merchant_image_url"\n"1"|"x"|"~/9"|"~/1"\n', rows: ['1 /1'], preset: 'awin' },
  { what: 'Awin with alternates', feed: 'aw_deep_link,product_name,aw_product_id,merchant_image_url,alternate_image,alternate_image_two\nhttp://x,x,1,~/1,~/2,~/3\n', rows: ['1 /1 /2 /3'], preset: 'awin' },
  { what: 'Criteo XML', feed: '<products><product id="a"><name>x</name><producturl>http://x</producturl><bigimage>~/1</bigimage><smallimage>~/2</smallimage></product></products>', rows: ['a /1'], preset: 'criteo' },
  { what: 'Criteo CSV', feed: 'id|name|producturl|smallimage|bigimage\na|x|http://x|~/2|~/1\n', rows: ['a /1'], preset: 'criteo' },
  { what: 'idealo CSV semicolon list', feed: 'sku;brand;title;categoryPath;url;imageUrls;price\na;b;x;c;http://x;"~/1;~/2";1\n', rows: ['a /1 /2'], preset: 'idealo' },
  { what: 'Heureka', feed: '<?xml version="1.0"?><SHOP><SHOPITEM><ITEM_ID>a</ITEM_ID><PRODUCTNAME>x</PRODUCTNAME><IMGURL>~/1</IMGURL><IMGURL_ALTERNATIVE>~/2</IMGURL_ALTERNATIVE><IMGURL_ALTERNATIVE>~/3</IMGURL_ALTERNATIVE></SHOPITEM></SHOP>', rows: ['a /1 /2 /3'], preset: 'heureka' },
  { what: 'Zbozi', feed: '<SHOP xmlns="http://www.zbozi.cz/ns/offer/1.0"><SHOPITEM><ITEM_ID>a</ITEM_ID><IMGURL>~/1</IMGURL></SHOPITEM></SHOP>', rows: ['a /1'], preset: 'heureka' },
  { what: 'Skroutz', feed: '<mywebstore><created_at>2024</created_at><products><product><id>a</id><name><![CDATA[x]]></name><image><![CDATA[~/1]]></image><additionalimage>~/2</additionalimage></product></products></mywebstore>', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'PrestaShop semicolon en', feed: '"Product ID";"Active (0/1)";"Name *";"Image URLs (x,y,z...)"\n"1";"1";"x";"~/1, ~/2"\n', rows: ['1 /1 /2'], preset: 'prestashop' },
  { what: 'PrestaShop it', feed: 'ID;Attivo (0/1);Nome *;URL immagini (x,y,z...)\n1;1;x;~/1,~/2\n', rows: ['1 /1 /2'], preset: 'prestashop' },
  { what: 'PrestaShop es', feed: 'ID;Activo (0/1);Nombre*;URL de la imagen (x,y,z...)\n1;1;x;~/1,~/2\n', rows: ['1 /1 /2'], preset: 'prestashop' },
  { what: 'PrestaShop product list export', feed: '"Product ID";Image;Name;Reference\n1;~/1;x;r\n', rows: ['1 /1'], preset: 'plain' },
  { what: 'Magento 2 relative abs mix', feed: 'sku,attribute_set_code,product_type,name,base_image,small_image,additional_images\na,Default,simple,x,~/1,~/1,"~/1,~/2"\n', rows: ['a /1 /2'], preset: 'magento' },
  { what: 'WooCommerce de', feed: 'ID,Typ,Artikelnummer,Name,Veröffentlicht,Bilder\n1,simple,a,x,1,"~/1, ~/2"\n', rows: ['1 /1 /2'], preset: 'woocommerce' },
  { what: 'WooCommerce fr', feed: 'ID,Type,UGS,Nom,Publié,Images\n1,simple,a,x,1,"~/1, ~/2"\n', rows: ['1 /1 /2'], preset: 'woocommerce' },
  { what: 'WooCommerce pl', feed: 'Identyfikator,Rodzaj,SKU,Nazwa,Opublikowano,Obrazki\n1,simple,a,x,1,"~/1, ~/2"\n', rows: ['1 /1 /2'], preset: 'woocommerce' },
  { what: 'Shopify new headers', feed: 'Title,URL handle,Description,Vendor,SKU,Product image URL,Image position,Variant image URL\nX,a,d,v,s1,~/1,1,~/2\n,a,,,,~/3,2,\n', rows: ['a /1 /2 /3'], preset: 'shopify' },
  { what: 'Shopify JSON variants', feed: '{"products":[{"id":5,"handle":"a","title":"x","images":[{"id":1,"src":"~/1"},{"src":"~/2"}],"variants":[{"id":9,"sku":"s"}],"image":{"src":"~/1"}}]}', rows: ['a /1 /2'], preset: 'shopify-json' },
  { what: 'Meta CSV', feed: 'id,title,image[0].url,image[0].tag[0],image[1].url\na,x,~/1,t,~/2\n', rows: ['a /1 /2'] },
  { what: 'Meta commerce two header rows', feed: '# Required | The unique id,# Required | title,# Required | image\nid,title,image_link\na,x,~/1\n', rows: ['a /1'] },
  { what: 'Google fi', feed: 'tunnus\tnimi\tkuvalinkki\tlisäkuvalinkki\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'] },
  { what: 'Google pt', feed: 'id\ttítulo\tlink da imagem\tlink da imagem adicional\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'] },
  { what: 'Google ja', feed: '商品ID\t商品名\t商品画像リンク\na\tx\t~/1\n', rows: ['a /1'] },
  { what: 'Google ro', feed: 'id\ttitlu\tlink imagine\tlink imagine suplimentară\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'] },
  { what: 'Google uk', feed: 'ідентифікатор\tназва\tпосилання на зображення\na\tx\t~/1\n', rows: ['a /1'] },
  { what: 'Google ar', feed: 'المعرّف\tالعنوان\tرابط الصورة\na\tx\t~/1\n', rows: ['a /1'] },
  { what: 'Google he', feed: 'מזהה\tכותרת\tקישור לתמונה\na\tx\t~/1\n', rows: ['a /1'] },
  { what: 'Google ko', feed: 'ID\t제목\t이미지 링크\t추가 이미지 링크\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'] },
  { what: 'Google zh', feed: 'ID\t标题\t图片链接\t其他图片链接\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'] },
  { what: 'Google vi', feed: 'mã\ttiêu đề\tliên kết hình ảnh\na\tx\t~/1\n', rows: ['a /1'] },
  { what: 'Google el', feed: 'αναγνωριστικό\tτίτλος\tσύνδεσμος εικόνας\na\tx\t~/1\n', rows: ['a /1'] },
  { what: 'Google sv', feed: 'id\ttitel\tbildlänk\tytterligare bildlänk\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'] },
  { what: 'Google hu', feed: 'azonosító\tcím\tkép linkje\na\tx\t~/1\n', rows: ['a /1'] },
  { what: 'Google sk', feed: 'id\tnázov\todkaz na obrázok\tďalší odkaz na obrázok\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'] },
  { what: 'header only xml', feed: '<?xml version="1.0"?><rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>x</title></channel></rss>', rows: [] },
  { what: 'header only tsv', feed: 'id\ttitle\timage_link\n', rows: [] },
  { what: 'empty json array', feed: '[]', rows: [] },
  { what: 'atom without entries', feed: '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"></feed>', rows: [] },
  { what: 'json items key lower', feed: '{"count":1,"items":[{"sku":"a","mainImage":{"url":"~/1"},"gallery":["~/2","~/3"]}]}', rows: ['a /1 /2 /3'], preset: 'plain' },
  { what: 'json hits nested', feed: '{"hits":{"hits":[{"_source":{"id":"a","image_url":"~/1"}}]}}', rows: ['a /1'], preset: 'plain' },
  { what: 'json media array of obj', feed: '[{"productId":"a","media":[{"type":"image","url":"~/1"},{"type":"image","url":"~/2"}]}]', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'json google content api', feed: '{"kind":"content#productsListResponse","resources":[{"offerId":"a","imageLink":"~/1","additionalImageLinks":["~/2"]}]}', rows: ['a /1 /2'] },
  { what: 'json images string list', feed: '[{"code":"a","images":["~/1","~/2"]}]', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'bom json', feed: '\ufeff[{"id":"a","image_link":"~/1"}]', rows: ['a /1'] },
  { what: 'ndjson shopify bulk', feed: '{"id":"gid://shopify/Product/1","title":"x","featuredImage":{"url":"~/1"}}\n{"id":"gid://shopify/Product/2","title":"y","featuredImage":{"url":"~/2"}}\n', rows: ['gid://shopify/Product/1 /1', 'gid://shopify/Product/2 /2'], preset: 'plain' },
  { what: 'xml default ns on item', feed: '<products xmlns="http://example.com/p"><product xmlns:x="urn:y"><x:sku>a</x:sku><x:image>~/1</x:image></product></products>', rows: ['a /1'], preset: 'plain' },
  { what: 'rss g capital', feed: '<rss xmlns:G="http://base.google.com/ns/1.0"><channel><item><G:ID>a</G:ID><G:IMAGE_LINK>~/1</G:IMAGE_LINK></item></channel></rss>', rows: ['a /1'] },
  { what: 'rss lists in additional', feed: '<rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>a</g:id><g:image_link>~/1</g:image_link><g:additional_image_link>~/2,~/3</g:additional_image_link></item></channel></rss>', rows: ['a /1 /2 /3'] },
  { what: 'media:content', feed: '<rss xmlns:media="http://search.yahoo.com/mrss/"><channel><item><guid>a</guid><media:content url="~/1"/><media:thumbnail url="~/9"/></item></channel></rss>', rows: ['a /1'], preset: 'plain' },
  { what: 'tab in csv file, semicolon sep w/ sep line', feed: 'sep=\t\nid\timage_link\na\t~/1\n', rows: ['a /1'] },
  { what: 'trailing list seps', feed: 'id,image_link,additional_image_link\na,~/1,"~/2;~/3;"\n', rows: ['a /1 /2 /3'] },
  { what: 'space list', feed: 'id\timage_link\tadditional_image_link\na\t~/1\t~/2 ~/3\n', rows: ['a /1 /2 /3'] },
  { what: 'line breaks list', feed: 'id,image_link,additional_image_link\na,~/1,"~/2\n~/3"\n', rows: ['a /1 /2 /3'] },
  { what: 'pipe list in image_link', feed: 'id,image_link\na,~/1|~/2|\n', rows: ['a /1 /2'] },
  { what: 'protocol-less', feed: 'id,image_link\na,//img.example/1\n', rows: ['a /1'] },
  { what: 'Etsy', feed: 'TITLE,DESCRIPTION,PRICE,IMAGE1,IMAGE2,SKU\nx,d,1,~/1,~/2,a\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'Wix', feed: 'handleId,fieldType,name,productImageUrl,sku\na,Product,x,~/1;~/2,s\n', rows: ['a /1 /2'], preset: 'wix' },
  { what: 'OpenCart', feed: 'product_id,name,model,image,additional_images\n1,x,m,~/1,"~/2,~/3"\n', rows: ['1 /1 /2 /3'], preset: 'plain' },
  { what: 'JTL', feed: 'Artikelnummer;Artikelname;Bild 1;Bild 2\na;x;~/1;~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'Gambio', feed: 'p_id;p_model;p_image;p_image.1;p_name.de\n1;m;~/1;~/2;x\n', rows: ['1 /1 /2'], preset: 'plain' },
  { what: 'xt:Commerce', feed: 'products_id;products_model;products_image;products_name\n1;m;~/1;x\n', rows: ['1 /1'], preset: 'plain' },
  { what: 'Channable nl', feed: 'id;titel;link;afbeelding_link;extra_afbeelding_link\na;x;http://x;~/1;~/2\n', rows: ['a /1 /2'] },
  { what: 'Bol', feed: 'Referentie;EAN;Titel;Afbeelding URL\nr;1;x;~/1\n', rows: ['r /1'], preset: 'plain' },
  { what: 'Kelkoo', feed: '<products><product><title>x</title><offer-id>a</offer-id><image-url>~/1</image-url></product></products>', rows: ['a /1'], preset: 'plain' },
  { what: 'Kelkoo csv fr', feed: 'identifiant-offre;titre;url-image\na;x;~/1\n', rows: ['a /1'], preset: 'plain' },
  { what: 'LeGuide/Shopping flux fr', feed: 'identifiant_unique|titre|url_image|url_image_2\na|x|~/1|~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'Tradetracker', feed: '<products><product ID="a"><name>x</name><images><image>~/1</image></images></product></products>', rows: ['a /1'], preset: 'plain' },
  { what: 'CJ', feed: '<catalog><product><sku>a</sku><name>x</name><imageurl>~/1</imageurl></product></catalog>', rows: ['a /1'], preset: 'plain' },
  { what: 'Admitad yml', feed: '<yml_catalog date="x"><shop><categories><category id="1">c</category></categories><offers><offer id="a" available="true"><name>x</name><picture>~/1</picture></offer></offers></shop></yml_catalog>', rows: ['a /1'], preset: 'plain' },
  { what: 'Pinterest', feed: 'id,item_group_id,title,image_link,additional_image_link\na,g,x,~/1,\n', rows: ['a /1'] },
  { what: 'TikTok', feed: 'sku_id\ttitle\timage_link\tadditional_image_link\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'Snap quoted tabs', feed: '"id"\t"title"\t"image_link"\n"a"\t"x"\t"~/1"\n', rows: ['a /1'] },
  { what: 'Shift_JIS without a word, as Excel in Japan', feed: Buffer.from('\x8f\xa4\x95iID,\x8f\xa4\x95i\x96\xbc,\x8f\xa4\x95i\x89\xe6\x91\x9c\x83\x8a\x83\x93\x83N\na,\x95\x5c\x8e\xa6\x83\x5c,https://img.example/1\n', 'latin1'), rows: ['a /1'], notes: ['guessed-encoding'] },
  { what: 'GBK, with tabs', feed: Buffer.from('ID\t\xb1\xea\xcc\xe2\t\xcd\xbc\xc6\xac\xc1\xb4\xbd\xd3\na\t\xb3\xc4\xc9\xc0\thttps://img.example/1\n', 'latin1'), rows: ['a /1'], notes: ['guessed-encoding'] },
  { what: 'Windows-1250', feed: Buffer.from('n\xe1zev;odkaz na obr\xe1zok;id\n\x9a\xe1la;https://img.example/1;a\n', 'latin1'), rows: ['a /1'] },
  { what: 'Windows-1251', feed: Buffer.from('\xe8\xe4\xe5\xed\xf2\xe8\xf4\xe8\xea\xe0\xf2\xee\xf0;\xed\xe0\xe7\xe2\xe0\xed\xe8\xe5;\xf1\xf1\xfb\xeb\xea\xe0 \xed\xe0 \xe8\xe7\xee\xe1\xf0\xe0\xe6\xe5\xed\xe8\xe5\na;\xef\xeb\xe0\xf2\xfc\xe5;https://img.example/1\n', 'latin1'), rows: ['a /1'], notes: ['guessed-encoding'] },
  { what: 'EUC-KR', feed: Buffer.from('ID\t\xc1\xa6\xb8\xf1\t\xc0\xcc\xb9\xcc\xc1\xf6 \xb8\xb5\xc5\xa9\na\t\xbc\xc5\xc3\xf7\thttps://img.example/1\n', 'latin1'), rows: ['a /1'], notes: ['guessed-encoding'] },
  { what: 'XML in Shift_JIS', feed: Buffer.from('<?xml version="1.0" encoding="Shift_JIS"?><products><product><sku>a</sku><name>\x95\x5c\x83\x5c</name><image>https://img.example/1</image></product></products>', 'latin1'), rows: ['a /1'], preset: 'plain' },
  { what: 'Amazon flat file: three header rows', feed: 'TemplateType=fptcustom\tVersion=2024.0101\tThe top 3 rows are for Amazon.com use only.\t\nSeller SKU\tProduct Name\tMain Image URL\tOther Image URL1\nitem_sku\titem_name\tmain_image_url\tother_image_url1\na\tx\t~/1\t~/2\nb\ty\t~/3\t\n', rows: ['a /1 /2','b /3'], preset: 'plain' },
  { what: 'Zalando', feed: 'merchant_simple_sku;ean;brand;article_name;image_1;image_2\na;4;B;x;~/1;~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'Otto Market, JSON', feed: '{"productVariations":[{"productReference":"p","sku":"a","productDescription":{"brand":"B"},"mediaAssets":[{"type":"IMAGE","location":"~/1"},{"type":"IMAGE","location":"~/2"}]}]}', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'ShareASale', feed: 'ProductID|Name|MerchantID|Merchant|Link|Thumbnail|BigImage|Price\na|x|9|M|https://x.example/a|~/9|~/1|1\n', rows: ['a /1'], preset: 'criteo' },
  { what: 'Árukereső', feed: '<products><product><identifier>a</identifier><name>x</name><image_url>~/1</image_url><image_url_2>~/2</image_url_2></product></products>', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'idealo in German', feed: 'Artikelnummer im Shop;EAN;Hersteller;Produktname;Bild-URL 1;Bild-URL 2\na;4;B;x;~/1;~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'PrestaShop in German', feed: 'Artikel-ID;Aktiv (0/1);Name*;Kategorien (x,y,z...);Bild-URLs (x,y,z...)\na;1;x;K;~/1,~/2\n', rows: ['a /1 /2'], preset: 'prestashop' },
  { what: 'Allegro in Polish', feed: 'Sygnatura/SKU Sprzedającego;Tytuł oferty;Zdjęcia\na;x;~/1|~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'BaseLinker in Polish', feed: 'ID produktu;Nazwa produktu;Zdjęcie;Zdjęcie dodatkowe 1;Zdjęcie dodatkowe 2\na;x;~/1;~/2;~/3\n', rows: ['a /1 /2 /3'], preset: 'plain' },
  { what: 'Cdiscount in French', feed: 'Référence vendeur;Libellé court;Image 1 (obligatoire);Image 2\na;x;~/1;~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'eBay with an information row', feed: 'Info;Version=1.0.0;Template=fx_category_template_EBAY_DE\n*Action(SiteID=Germany|Country=DE|Currency=EUR|Version=1193);CustomLabel;*Title;PicURL\nAdd;a;x;~/1|~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'BigCommerce', feed: 'Item Type,Product ID,Product Name,Product Code/SKU,Product Image URL - 1,Product Image URL - 2\nProduct,7,x,a,~/1,~/2\n', rows: ['7 /1 /2'], preset: 'plain' },
  { what: 'Ecwid', feed: 'type,product_internal_id,product_sku,product_name,product_media_main_image_url,product_media_gallery_image_url_1\nproduct,7,a,x,~/1,~/2\n', rows: ['7 /1 /2'], preset: 'plain' },
  { what: 'Mirakl', feed: 'shop_sku;product-id;product-id-type;Titre;Image principale;Image secondaire 1\na;4;EAN;x;~/1;~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'IdoSell', feed: '<offer><products><product id="a"><description><name xml:lang="pol">x</name></description><images><large><image url="~/1"/><image url="~/2"/></large></images></product></products></offer>', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'Shopware 6', feed: 'id;product_number;translations.DEFAULT.name;cover.media.url;media\n0a;a;x;~/1;~/1|~/2\n', rows: ['0a /1 /2'], preset: 'plain' },
  { what: 'a Danish network', feed: '<produkter><produkt><produktid>a</produktid><produktnavn>x</produktnavn><billedurl>~/1</billedurl></produkt></produkter>', rows: ['a /1'], preset: 'plain' },
  { what: 'JSON keyed by id', feed: '{"a":{"title":"x","image":"~/1"},"b":{"title":"y","image":"~/2"}}', rows: ['a /1', 'b /2'], preset: 'plain', notes: ['keyed-rows'] },
  { what: 'JSON keyed by id, in lines', feed: '{"products": {\n"a": {"name":"x","ean":"4","images":[{"url":"~/1"},{"url":"~/2"}],"price":{"amount":1}},\n"gr\\u00fcn\\/b": {"name":"y","images":[{"url":"~\\/3"}]}\n}}', rows: ['a /1 /2', 'grün/b /3'], preset: 'plain', notes: ['keyed-rows'] },
  { what: 'JSON keyed by something else', feed: '{"data":{"0":{"sku":"a","image":"~/1"},"1":{"sku":"b","image":"~/2"}}}', rows: ['a /1', 'b /2'], preset: 'plain', notes: ['keyed-rows'] },
  { what: 'JSON with the list two levels down', feed: '{"meta":{"count":2},"data":{"catalog":{"items":[{"id":"a","image":"~/1"},{"id":"b","image":"~/2"}]}}}', rows: ['a /1', 'b /2'], preset: 'plain', notes: [] },
  { what: 'JSON with another list before', feed: '{"categories":[{"id":"c","name":"Hats"}],"products":[{"id":"a","image":"~/1"}]}', rows: ['a /1'], preset: 'plain', notes: ['other-lists'] },
  { what: 'pages of products.json in a list', feed: '[{"products":[{"id":1,"handle":"a","vendor":"v","images":[{"src":"~/1"}],"variants":[{"id":9}]}]},{"products":[{"id":2,"handle":"b","vendor":"v","images":[{"src":"~/2"}],"variants":[]}]}]', rows: ['a /1', 'b /2'], preset: 'shopify-json', notes: [] },
  { what: 'a page of products.json a line', feed: '{"products":[{"id":1,"handle":"a","vendor":"v","images":[{"src":"~/1"}]}]}\n{"products":[{"id":2,"handle":"b","vendor":"v","images":[{"src":"~/2"}]}]}\n', rows: ['a /1', 'b /2'], preset: 'shopify-json', notes: ['wrapped-rows'] },
  { what: 'a product within an object a line', feed: '{"product":{"id":"a","image":"~/1"}}\n{"product":{"id":"b","image":"~/2"}}\n', rows: ['a /1', 'b /2'], preset: 'plain', notes: ['keyed-rows'] },
  { what: 'JSON rows whose id is not known are not those of their pictures', feed: '[{"title":"x","pictures":[{"id":1,"image":"~/1"}]}]', rows: ['a missing-id missing-image'], notes: [] },
  { what: 'lines whose id is not known are not those of their pictures', feed: '{"title":"x","pictures":[{"id":1,"image":"~/1"}]}\n{"title":"y","pictures":[{"id":2,"image":"~/2"}]}\n', rows: ['a missing-id missing-image', 'a missing-id missing-image'], notes: [] },
  { what: 'further images separated in many ways', feed: 'id;image_link;additional_image_link\na;~/1;~/2>~/3\nb;~/1;~/2 > ~/3\nc;~/1;~/2<br>~/3<br/>~/4\nd;~/1;~/2\\n~/3\ne;~/1;~/2#~/3\nf;~/1;~/2:::~/3\ng;~/1;~/2 / ~/3\n', rows: ['a /1 /2 /3', 'b /1 /2 /3', 'c /1 /2 /3 /4', 'd /1 /2 /3', 'e /1 /2 /3', 'f /1 /2 /3', 'g /1 /2 /3'] },
  { what: 'further images in brackets, quotes and objects', feed: 'id;image_link;additional_image_link\na;~/1;[~/2,~/3]\nb;~/1;{~/2,~/3(1)}\nc;~/1;"{""~/2"",""~/3""}"\nd;~/1;"\'~/2\',\'~/3\'"\ne;~/1;"[{""url"":""~/2"",""tag"":[""Front""]},{""url"":""~/3}]""}]"\n', rows: ['a /1 /2 /3', 'b /1 /2 /3(1)', 'c /1 /2 /3', 'd /1 /2 /3', 'e /1 /2 /3}]'] },
  { what: 'a catalogue of Meta with its pictures as JSON', feed: 'id,title,image\na,x,"[{""url"":""~/1"",""tag"":[""Front""]},{""url"":""~/2""}]"\n', rows: ['a /1 /2'], preset: 'plain', notes: ['link-lists'] },
  { what: 'a picture within a formula, and an id that is text', feed: 'id,image_link\n="001","=IMAGE(""~/1"")"\n"=""002""","=HYPERLINK(""~/2"",""x"")"\n', rows: ['001 /1', '002 /2'], notes: ['link-lists'] },
  { what: 'slashes escaped as in JSON, invisible characters', feed: 'id,image_link\na,https:\\/\\/img.example\\/1\nb,\u200b~/2\u200b\n', rows: ['a /1', 'b /2'] },
  { what: 'an address within an address, and commas in one', feed: 'id,image_link,additional_image_link\na,~/w_300/https://x.example/1.jpg,"~/f_auto,q_1/2.jpg,~/f_auto/3.jpg"\n', rows: ['a /w_300/https://x.example/1.jpg /f_auto,q_1/2.jpg /f_auto/3.jpg'] },
  { what: 'files joined, each with a byte order mark and a header', feed: '\ufeffid,image_link\na,~/1\n\ufeffid,image_link\nb,~/2\n', rows: ['a /1', 'b /2'], notes: ['repeated-headers'] },
  { what: 'a byte order mark that was read as text', feed: 'ï»¿id,image_link\na,~/1\n', rows: ['a /1'] },
  { what: 'the ends of DOS and of filled blocks', feed: 'id,image_link\r\na,~/1\r\n\x1a\0\0\0', rows: ['a /1'], notes: [] },
  { what: 'the delimiter of Hive', feed: 'id\x01image_link\na\x01~/1\n', rows: ['a /1'] },
  { what: "Google's other namespace", feed: '<rss xmlns:g="http://base.google.com/cns/1.0"><channel><item><g:id>a</g:id><g:image_link>~/1</g:image_link></item></channel></rss>', rows: ['a /1'], notes: ['namespace'] },
  { what: 'halves of a character as two references', feed: '<rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>a&#xD83D;&#xDE00;&#55357;&#56832;</g:id><title>&#xD83D;</title><g:image_link>~/1</g:image_link></item></channel></rss>', rows: ['a😀😀 /1'] },
  { what: 'XML whose products are numbered elements', feed: '<root><item0><id>a</id><image>~/1</image></item0><item1><id>b</id><image>~/2</image></item1></root>', rows: ['a /1', 'b /2'], preset: 'plain', notes: [] },
  { what: 'XML with two kinds of products', feed: '<shop><product><id>a</id><image>~/1</image></product><bundle><id>b</id><image>~/2</image></bundle></shop>', rows: ['a /1', 'b /2'], preset: 'plain', notes: [] },
  { what: 'XML categories with a picture, around products', feed: '<catalog><category><id>c</id><image>~/9</image><product><id>a</id><image>~/1</image></product><product><id>b</id><image>~/2</image></product></category></catalog>', rows: ['a /1', 'b /2'], preset: 'plain', notes: ['other-lists'] },
  { what: 'XML variants with pictures of their own', feed: '<products><product><id>a</id><image>~/1</image><variants><variant><id>v</id><image>~/2</image></variant></variants></product></products>', rows: ['a /1'], preset: 'plain', notes: ['other-lists'] },
  { what: 'XML with another list elsewhere', feed: '<shop><products><product><id>a</id><image>~/1</image></product></products><outlet><products><product><id>b</id><image>~/2</image></product></products></outlet></shop>', rows: ['a /1'], preset: 'plain', notes: ['other-lists'] },
  { what: 'JSON with an object beside the list', feed: '{"data":[{"id":7,"images":[{"id":1,"url_standard":"~/9","url_zoom":"~/1"}]}],"meta":{"id":"x","image":"~/8"}}', rows: ['7 /1'], preset: 'plain' },
  { what: 'JSON-LD of one product', feed: '{"@context":"https://schema.org","@type":"Product","sku":"a","image":"~/1"}', rows: ['a /1'], preset: 'plain' },
  { what: 'JSON of a shop with a logo and no products', feed: '{"id":"s","name":"Shop","image":"~/9",\n"products":[]}', rows: [] },
  { what: 'products in JSON, one after the other on many lines', feed: '{\n "id": "a",\n "image_link": "~/1"\n}\n{\n "id": "b",\n "image_link": "~/2"\n}\n', rows: ['a /1', 'b /2'] },
  { what: 'lines of JSON with commas behind them', feed: '{"id":"a","image_link":"~/1"},\n{"id":"b","image_link":"~/2"},\n', rows: ['a /1', 'b /2'] },
  { what: 'a sequence of JSON texts', feed: '\x1e{"id":"a","image_link":"~/1"}\n\x1e{"id":"b","image_link":"~/2"}\n', rows: ['a /1', 'b /2'] },
  { what: 'ids of MongoDB', feed: '[{"_id":{"$oid":"65a"},"image":"~/1"}]', rows: ['65a /1'], preset: 'plain' },
  { what: 'ids of 64 bits', feed: '[{"_id":12345678901234567890,"variants":[{"id":9876543210987654321}],"image":"~/2"}]', rows: ['12345678901234567890 /2'], preset: 'plain' },
  { what: 'Rakuten LinkShare', feed: '<merchandiser><product product_id="a" name="x"><URL><product>https://x.example/a</product><productImage>~/1</productImage></URL></product></merchandiser>', rows: ['a /1'], preset: 'plain' },
  { what: 'Impact', feed: 'Unique Merchant SKU\tProduct Name\tImage URL\tAdditional Image URL\na\tx\t~/1\t~/2\n', rows: ['a /1 /2'], preset: 'plain' },
  { what: 'Walmart', feed: 'SKU,Product Name,Main Image URL,Additional Image URL (+),Additional Image URL 1 (+)\na,x,~/1,~/2,~/3\n', rows: ['a /1 /2 /3'], preset: 'plain' },
  { what: 'Lightspeed', feed: 'Internal_ID;Internal_Variant_ID;NL_Title_Short;Images\n1;2;x;~/1,~/2\n', rows: ['2 /1 /2'], preset: 'plain' },
];

const bytesOf = (feed: string | Buffer): Buffer =>
  typeof feed === 'string' ? Buffer.from(feed.replaceAll('~', HOST)) : feed;

async function read(bytes: Buffer) {
  const notes = new FeedNotes();
  const opened: OpenFeed[] = [];
  const rows: string[] = [];
  const items = parseFeed(streamOf([bytes]), { takeNote: notes.take }, (feed) => opened.push(feed));
  for await (const item of items) {
    if (item.kind === 'error') {
      rows.push(`${item.id ?? 'a'} ${item.reasons.map(({ code }) => code).join(' ')}`);
    } else {
      const links = [item.imageLink, ...item.additionalImageLinks];
      rows.push([item.id, ...links.map((link) => link.replace(HOST, ''))].join(' '));
    }
  }
  return { rows, preset: opened[0]!.reading.preset, notes: notes.list().map(({ code }) => code) };
}

test.each(KINDS)('$what', async ({ feed, rows, preset = 'google', notes }) => {
  const seen = await read(bytesOf(feed));
  expect(seen.rows).toEqual(rows);
  expect(seen.preset).toBe(preset);
  if (notes) expect(seen.notes).toEqual(notes);
});

test.each(KINDS)('$what: exported, and with new links', async ({ feed, rows }) => {
  const bytes = bytesOf(feed);
  const kept = await collect(exportFeed(streamOf([bytes]), () => undefined));
  expect(Buffer.concat(kept)).toEqual(bytes);
  const replace = (_: unknown, image: number) => `https://new.example/${image}`;
  const replaced = await collect(exportFeed(streamOf([bytes]), replace));
  const again = await read(Buffer.concat(replaced));
  const images = rows.map((row) => (row.includes('/') ? row.split(' /').length - 1 : 0));
  expect(again.rows.map((row) => row.split(' https://new.example/').length - 1)).toEqual(images);
});
