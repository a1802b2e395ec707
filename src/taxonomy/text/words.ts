import type { Locale } from '../dictionary/schema.ts';
import { SPORTS_BRANDS } from './brands.ts';

/** Words of each language, separated by `|`. A phrase matches as a phrase. */
export type Words = Readonly<Partial<Record<Locale, string>>>;

/** Whether the head noun comes last: a "shirt dress" is a dress, and so is a "robe chemise". */
export const HEAD_IS_LAST: Readonly<Record<Locale, boolean>> = {
  en: true,
  de: true,
  nl: true,
  fr: false,
  es: false,
  it: false,
};

const everywhere = (words: string): Words => ({
  en: words,
  de: words,
  fr: words,
  es: words,
  it: words,
  nl: words,
});

/**
 * Words that describe a garment without naming it. The dictionary has the names of garments, colours, materials and
 * patterns; this table has the other attributes.
 */
export const CUES = {
  'gender:female': {
    en: "women|women's|womens|woman|ladies|lady|girls|girl|female",
    de: 'damen|dame|frauen|frau|mädchen|weiblich',
    fr: 'femme|femmes|fille|filles|féminin|dame|dames',
    es: 'mujer|mujeres|niña|niñas|señora|femenino|femenina|chica|dama',
    it: 'donna|donne|bambina|bambine|ragazza|femminile|signora',
    nl: 'dames|dame|vrouwen|vrouw|meisjes|meisje',
  },
  'gender:male': {
    en: "men|men's|mens|man|male|boys|boy|gents|gentlemen",
    de: 'herren|herr|männer|mann|jungen|junge|knaben|männlich',
    fr: 'homme|hommes|garçon|garçons|masculin',
    es: 'hombre|hombres|niño|caballero|masculino|chico',
    it: 'uomo|uomini|bambino|ragazzo|maschile',
    nl: 'heren|heer|mannen|man|jongens|jongen',
  },
  'gender:unisex': {
    en: 'unisex',
    de: 'unisex',
    fr: 'unisexe|mixte',
    es: 'unisex',
    it: 'unisex',
    nl: 'unisex',
  },
  'ageGroup:kids': {
    en: "kids|kid|kid's|children|children's|childrens|child|youth|junior|juniors|boys|girls",
    de: 'kinder|kind|mädchen|jungen|junior',
    fr: 'enfant|enfants|fille|filles|garçon|garçons|junior',
    es: 'niño|niña|niños|niñas|infantil|infantiles|junior',
    it: 'bambino|bambina|bambini|bambine|ragazzo|ragazza|junior',
    nl: 'kinderen|kind|kinder|jongens|meisjes|junior',
  },
  'ageGroup:toddler': {
    en: 'toddler|toddlers',
    de: 'kleinkind|kleinkinder',
    fr: 'tout-petit|tout-petits',
    nl: 'peuter|peuters|kleuter|kleuters',
  },
  'ageGroup:infant': {
    en: 'baby|babies|infant|infants',
    de: 'baby|babys|säugling|säuglinge',
    fr: 'bébé|bébés',
    es: 'bebé|bebés',
    it: 'bebè|neonato|neonata|neonati',
    nl: "baby|baby's",
  },
  'ageGroup:newborn': {
    en: 'newborn|newborns',
    de: 'neugeborene|neugeborenes',
    fr: 'nouveau-né|naissance',
    es: 'recién nacido|recién nacidos',
    nl: 'pasgeboren|newborn',
  },
  'sleeveLength:long': {
    en: 'long sleeve|long sleeves|long sleeved|full sleeve',
    de: 'langarm|langärmlig|langärmelig|langärmliges|lange ärmel|langen ärmeln|langarm-',
    fr: 'manches longues|manche longue',
    es: 'manga larga|mangas largas',
    it: 'maniche lunghe|manica lunga',
    nl: 'lange mouw|lange mouwen',
  },
  'sleeveLength:short': {
    en: 'short sleeve|short sleeves|short sleeved|half sleeve',
    de: 'kurzarm|kurzärmlig|kurzärmelig|kurze ärmel|kurzen ärmeln|halbarm',
    fr: 'manches courtes|manche courte',
    es: 'manga corta|mangas cortas',
    it: 'maniche corte|manica corta|mezza manica|mezze maniche',
    nl: 'korte mouw|korte mouwen',
  },
  'sleeveLength:three_quarter': {
    en: 'three quarter sleeve|three quarter sleeves|3/4 sleeve|3/4 sleeves',
    de: '3/4 arm|3/4 ärmel|dreiviertelarm|dreiviertelärmel',
    fr: 'manches 3/4|manches mi-longues|manches trois-quarts',
    es: 'manga francesa|manga 3/4|mangas 3/4|manga tres cuartos',
    it: 'maniche 3/4|manica 3/4|maniche a tre quarti',
    nl: '3/4 mouw|3/4 mouwen|driekwart mouw|driekwart mouwen',
  },
  'sleeveLength:sleeveless': {
    en: 'sleeveless',
    de: 'ärmellos|ärmelloses|ärmellose',
    fr: 'sans manches|sans manche',
    es: 'sin mangas',
    it: 'senza maniche|smanicato|smanicata',
    nl: 'mouwloos|mouwloze|zonder mouwen',
  },
  'sleeveLength:spaghetti': {
    en: 'spaghetti strap|spaghetti straps',
    de: 'spaghettiträger|spaghettiträgern',
    fr: 'fines bretelles|bretelles fines',
    es: 'tirantes finos',
    it: 'spalline sottili',
    nl: 'spaghettibandjes',
  },
  'sleeveLength:strapless': {
    en: 'strapless',
    de: 'trägerlos|trägerloses',
    fr: 'sans bretelles',
    es: 'sin tirantes|palabra de honor',
    it: 'senza spalline',
    nl: 'strapless',
  },
  'sleeveLength:cap': {
    en: 'cap sleeve|cap sleeves',
    de: 'flügelärmel',
    fr: 'mancherons',
    nl: 'kapmouw|kapmouwtjes',
  },
  'length:mini': {
    en: 'mini',
    de: 'mini|kurz|kurzes|kurze',
    fr: 'mini|courte|court',
    es: 'mini|corto|corta',
    it: 'mini|corto|corta',
    nl: 'mini|kort|korte',
  },
  'length:midi': {
    en: 'midi|mid length',
    de: 'midi|wadenlang|wadenlanges',
    fr: 'midi|mi-longue|mi-long',
    es: 'midi',
    it: 'midi|sotto il ginocchio',
    nl: 'midi',
  },
  'length:knee': {
    en: 'knee length|above the knee|below the knee',
    de: 'knielang|knielanges|knielanger|knieumspielend',
    fr: 'longueur genou|au genou|aux genoux',
    es: 'a la rodilla|hasta la rodilla',
    it: 'al ginocchio',
    nl: 'knielengte|knielang|knielange',
  },
  'length:maxi': {
    en: 'maxi|floor length|full length|long',
    de: 'maxi|bodenlang|bodenlanges|bodenlanger|knöchellang|lang|langes|langer',
    fr: 'maxi|longue|long',
    es: 'maxi|largo|larga',
    it: 'maxi|lungo|lunga',
    nl: 'maxi|lang|lange|enkellang',
  },
  'neckline:turtle': {
    en: 'turtleneck|turtle neck|roll neck|rollneck|polo neck|high neck',
    de: 'rollkragen',
    fr: 'col roulé',
    es: 'cuello alto|cuello vuelto|cuello cisne',
    it: 'collo alto|dolcevita',
    nl: 'rolkraag|hoge col|col',
  },
  'neckline:v_neck': {
    en: 'v neck',
    de: 'v-ausschnitt',
    fr: 'col v|col en v',
    es: 'cuello pico|cuello de pico|cuello v|cuello en v',
    it: 'scollo a v|collo a v',
    nl: 'v-hals',
  },
  'neckline:crew': {
    en: 'crew neck|crewneck|round neck',
    de: 'rundhals|rundhalsausschnitt',
    fr: 'col rond|ras du cou',
    es: 'cuello redondo|cuello caja',
    it: 'girocollo|collo rotondo',
    nl: 'ronde hals',
  },
  'neckline:hooded': {
    en: 'hood|hooded',
    de: 'kapuze|kapuzen',
    fr: 'capuche|capuches|capuchon',
    es: 'capucha',
    it: 'cappuccio',
    nl: 'capuchon|capuchons',
  },
  'properties:waterproof': {
    en: 'waterproof|seam sealed|taped seams',
    de: 'wasserdicht|wasserdichte|wasserfest',
    fr: 'imperméable|imperméables|étanche',
    es: 'impermeable|impermeables',
    it: 'impermeabile|impermeabili',
    nl: 'waterdicht|waterdichte',
  },
  'properties:water_resistant': {
    en: 'water resistant|water repellent|showerproof|weatherproof',
    de: 'wasserabweisend|wasserabweisende|wetterfest|imprägniert',
    fr: 'déperlant|déperlante',
    es: 'repelente al agua|resistente al agua|hidrófugo',
    it: "idrorepellente|resistente all'acqua",
    nl: 'waterafstotend|waterafstotende|waterbestendig',
  },
  'properties:windproof': {
    en: 'windproof|wind resistant',
    de: 'winddicht|winddichte|windabweisend',
    fr: 'coupe-vent',
    es: 'cortaviento|cortavientos',
    it: 'antivento',
    nl: 'winddicht|winddichte',
  },
  'properties:insulated': {
    en: 'insulated|padded|quilted|puffer|puffy|down filled|down fill',
    de: 'wattiert|wattierte|gesteppt|gesteppte|daunen|stepp|daunenfüllung',
    fr: 'matelassé|matelassée|rembourré|rembourrée|ouatiné|ouatinée|duvet',
    es: 'acolchado|acolchada|guateado|guateada|plumón|relleno de plumas',
    it: 'imbottito|imbottita|imbottiti|trapuntato|trapuntata',
    nl: 'gewatteerd|gewatteerde|doorgestikt|doorgestikte|dons',
  },
  'properties:lined': {
    en: 'lined',
    de: 'gefüttert|gefütterte|gefütterter',
    fr: 'doublé|doublée|doublés|doublées|fourré|fourrée|fourrés|fourrées',
    es: 'forrado|forrada|forrados|forradas',
    it: 'foderato|foderata|foderati|foderate',
    nl: 'gevoerd|gevoerde',
  },
  'properties:thermal': {
    en: 'thermal|base layer',
    de: 'thermo|funktionsunterwäsche',
    fr: 'thermique|thermiques',
    es: 'térmico|térmica|térmicos',
    it: 'termico|termica|termici',
    nl: 'thermo',
  },
  'make:knitted': {
    en: 'knitted|crochet|crocheted',
    de: 'gestrickt|gestrickte|gestrickter|gehäkelt|gehäkelte|gehäkelter',
    fr: 'tricoté|tricotée|crochet',
    es: 'tejido|tejida|tejidos|tejidas|crochet|ganchillo',
    it: 'lavorato a maglia|uncinetto|tricot',
    nl: 'gehaakt|gehaakte',
  },
  'make:innerwear': {
    en: 'innerwear|inner wear',
  },
  'brand:sports': everywhere(SPORTS_BRANDS),
  'properties:breathable': {
    en: 'breathable',
    de: 'atmungsaktiv|atmungsaktive',
    fr: 'respirant|respirante',
    es: 'transpirable|transpirables',
    it: 'traspirante|traspiranti',
    nl: 'ademend|ademende',
  },
  'weight:light': {
    en: 'lightweight|ultralight|ultra light',
    de: 'leicht|leichte|leichter|ultraleicht|ultraleichte|dünn|dünne',
    fr: 'léger|légère|ultraléger|ultra-léger|fin|fine',
    es: 'ligero|ligera|ultraligero|fino|fina',
    it: 'leggero|leggera|leggeri|ultraleggero',
    nl: 'lichtgewicht|ultralicht|lichte|dun|dunne',
  },
  'weight:heavy': {
    en: 'heavyweight|thick|chunky|cable|cable knit|expedition|arctic|extra warm|heavy',
    de: 'dick|dicke|dicker|schwer|schwere|grobstrick|zopf|zopfmuster|zopfstrick|grob',
    fr: 'épais|épaisse|épaisses|grosse maille|torsadé|torsadée|torsades|chaud|chaude',
    es: 'grueso|gruesa|gruesos|ochos|trenzas|abrigado',
    it: 'pesante|pesanti|trecce|grosso|spesso',
    nl: 'dik|dikke|zwaar|zware|kabel|kabelbrei|grof|grofgebreid|grofgebreide',
  },
  'season:winter': {
    en: 'winter|snow',
    de: 'winter|winterlich|schnee',
    fr: 'hiver|neige',
    es: 'invierno|nieve',
    it: 'inverno|invernale|invernali|neve',
    nl: 'winter|sneeuw',
  },
  'season:summer': {
    en: 'summer',
    de: 'sommer|sommerlich',
    fr: 'été',
    es: 'verano',
    it: 'estate|estivo|estiva|estivi',
    nl: 'zomer|zomers|zomerse',
  },
  'use:running': {
    en: 'running|trail|jogging|marathon',
    de: 'laufen|lauf|joggen|running|trail',
    fr: 'running|course|trail',
    es: 'running|correr|trail',
    it: 'running|corsa|trail',
    nl: 'hardlopen|hardloop|running|trail',
  },
  'use:sport': {
    en: 'sport|sports|training|gym|fitness|workout|athletic|football|soccer|hiking|trekking|yoga',
    de: 'sport|training|trainings|fitness|fußball|wander|trekking|yoga',
    fr: 'sport|entraînement|fitness|randonnée|trekking|yoga|football',
    es: 'deporte|deportivo|deportiva|deportivos|deportivas|entrenamiento|fitness|trekking|senderismo',
    it: 'sport|sportivo|sportiva|sportivi|sportive|allenamento|fitness|palestra|trekking',
    nl: 'sport|training|trainings|fitness|wandelen|wandel|voetbal',
  },
  'use:ski': {
    en: 'ski|skiing|snowboard|snowboarding',
    de: 'ski|snowboard|skifahren',
    fr: 'ski|snowboard',
    es: 'esquí|snowboard|esquiar',
    it: 'sci|snowboard|sciare',
    nl: 'ski|snowboard|skiën',
  },
  'use:rain': {
    en: 'rain',
    de: 'regen',
    fr: 'pluie',
    es: 'lluvia',
    it: 'pioggia|antipioggia',
    nl: 'regen',
  },
  'use:evening': {
    en: 'evening|prom|cocktail|ball|gala|bridal|wedding|bridesmaid|sequin|sequins|sequinned',
    de: 'abend|cocktail|ball|gala|braut|hochzeit|pailletten',
    fr: 'soirée|cocktail|mariée|mariage|bal|gala|sequins|paillettes',
    es: 'noche|fiesta|cóctel|novia|boda|gala|lentejuelas',
    it: 'sera|cocktail|cerimonia|sposa|gala|paillettes',
    nl: 'avond|gala|cocktail|bruids|bruid|feest|pailletten',
  },
  'use:formal': {
    en: 'formal|business|tuxedo|suit',
    de: 'anzug|business|smoking',
    fr: 'costume|habillé|habillée|smoking|ville',
    es: 'vestir|traje|formal|esmoquin',
    it: 'elegante|eleganti|cerimonia|completo|smoking',
    nl: 'zakelijk|zakelijke|nette|geklede|kostuum|smoking',
  },
  'use:swim': {
    en: 'swim|swimming',
    de: 'bade|schwimm|schwimmen',
    fr: 'bain|natation',
    es: 'baño|natación',
    it: 'bagno|nuoto|mare',
    nl: 'zwem|zwemmen',
  },
  'shape:pencil': {
    en: 'pencil|bodycon',
    de: 'bleistift',
    fr: 'crayon|tube',
    es: 'tubo|lápiz',
    it: 'tubino',
    nl: 'koker',
  },
  'shape:heel': {
    en: 'heel|heels|heeled',
    de: 'absatz|blockabsatz|keilabsatz',
    fr: 'talon|talons',
    es: 'tacón|tacones',
    it: 'tacco|tacchi',
    nl: 'hak|hakken|blokhak|sleehak',
  },
  'tone:dark': {
    en: 'dark|deep',
    de: 'dunkel|dunkles|dunkler|dunkle',
    fr: 'foncé|foncée',
    es: 'oscuro|oscura',
    it: 'scuro|scura',
    nl: 'donker|donkere',
  },
  'tone:light': {
    en: 'light|pale|pastel',
    de: 'hell|helles|heller|helle',
    fr: 'clair|claire|pâle',
    es: 'claro|clara|pastel',
    it: 'chiaro|chiara|pastello',
    nl: 'licht',
  },
} as const satisfies Readonly<Record<string, Words>>;

export type Cue = keyof typeof CUES;

/**
 * Function words that structure a title. `with`, `for` and `of` introduce the garment's parts, use and material;
 * `pair` what it is worn with; `without` negates what follows.
 */
export const ROLES = {
  with: {
    en: 'with|w|featuring|plus|has',
    de: 'mit|inkl|inklusive',
    fr: 'avec|à|au|aux|doublé|doublée|doublés|doublées',
    es: 'con',
    it: 'con|a|foderato|foderati|foderata',
    nl: 'met|incl|inclusief',
  },
  for: {
    en: 'for|over|under|to wear|by',
    de: 'für|zum|zur|über|unter|von',
    fr: 'pour|sous|sur|par',
    es: 'para|sobre|por',
    it: 'per|sopra|sotto',
    nl: 'voor|over|onder|op|door',
  },
  of: {
    en: 'in|of|from',
    de: 'aus|im|in',
    fr: 'en|de|du|des|d',
    es: 'de|del|en',
    it: 'in|di|da|del|della',
    nl: 'van|in|uit',
  },
  without: {
    en: 'without|no|non',
    de: 'ohne|kein|keine',
    fr: 'sans',
    es: 'sin',
    it: 'senza',
    nl: 'zonder|geen',
  },
  pair: {
    en: 'pair|pairs|paired|wear|worn|style|team|match|matches|tuck|throw|goes with|looks great|ideal with|perfect with|layer',
    de: 'passt|passend|kombinier|kombiniere|kombiniert|kombinieren|dazu|ideal zu|perfekt zu',
    fr: 'porter|portez|associer|associez|rentrer|assortir|se porte|parfait avec|idéal avec|marier',
    es: 'combina|combínala|combínalo|combinar|ideal con|perfecto con|perfecta con|llévalo|llévala|lleva',
    it: 'abbinare|abbina|abbinalo|abbinala|perfetto con|perfetta con|indossare|ideale con',
    nl: 'combineer|combineren|draag|leuk op|leuk met|past bij|mooi op|stijl',
  },
} as const satisfies Readonly<Record<string, Words>>;

export type Role = keyof typeof ROLES;

/** Words for a number of articles: "of" after them introduces the article itself ("pack of 3 socks"). */
export const QUANTITIES: Words = {
  en: 'pack|packs|set|pair|pairs|lot|bundle|box|multipack|3pack|2pack',
  de: 'pack|set|paar|packung|doppelpack|dreierpack',
  fr: 'lot|pack|paire|paires|ensemble|boîte|coffret',
  es: 'pack|set|par|pares|juego|lote|paquete|caja|docena',
  it: 'set|paio|paia|confezione|pacco|lotto|pack',
  nl: 'set|paar|pak|pack|verpakking|doos',
};

/** Idioms whose words would otherwise match as a material or a colour. */
export const FIXED_PHRASES: Words = {
  en: 'button down|pull on|lace up|lace-up|step in|crew neck|cross body|new in|rose print|best fit|top stitch|top stitching|low top|high top|tank style|slip on|tie waist|tie front|tie belt|belt loops|belted|t shirt bra|boot cut|bootcut|cap toe|toe cap|zip up|hooded towel|drop shoulder|flat front|wide leg|straight leg|short rise|hat trick|self tie|sock lining|tie dye|cut and sew|button up|button front|button detail|stand collar|stand up collar|patch pocket|collar stand|snow wash|stone wash|stonewash',
  de: 'stone washed|stonewash|kurz gesagt|neu in|im rock stil|body fit|slim fit|regular fit|top qualität|high top|low top',
  fr: 'bon à savoir|coupe droite|taille haute|bas ajusté|bas élastiqué|pull on|bas resserré|haut de gamme|jambe droite|coton peigné',
  es: 'punto de cruz|punto roma|alta calidad|corte recto|tiro alto|a punto',
  it: 'vita alta|collo alla coreana|a punto|taglio dritto',
  nl: 'high top|low top|slim fit|recht model|top kwaliteit',
};

/**
 * English names of garments that other languages use unchanged. Each is added to every language in which the word
 * has no meaning of its own.
 */
export const LOANWORDS =
  't-shirt|tshirt|longsleeve|tank top|tanktop|crop top|bodysuit|polo shirt|oversized shirt|overshirt|shacket|hoodie|hoody|zip hoodie|sweatshirt|crewneck|sweater|pullover|cardigan|blazer|bomber|bomber jacket|parka|trench|trench coat|trenchcoat|puffer|puffer jacket|biker jacket|denim jacket|windbreaker|softshell|hardshell|jumpsuit|playsuit|maxi dress|midi dress|mini dress|wrap dress|slip dress|shirt dress|jeans|skinny jeans|mom jeans|chino|chinos|cargo pants|joggers|jogger|sweatpants|track pants|leggings|legging|jeggings|treggings|shorts|bermuda|boxershorts|boxer|bralette|bikini|tankini|swim shorts|pyjama|kimono|poncho|sneaker|sneakers|running shoes|loafer|loafers|boots|chelsea boots|chelsea boot|ankle boots|biker boots|desert boots|snow boots|pumps|high heels|slingbacks|slingback|ballerinas|anorak|bodywarmer|mary janes|espadrilles|flip flops|mules|beanie|snapback|baseball cap|trucker cap|bucket hat|fedora|snood|tote bag|tote|crossbody|shopper|clutch|weekender|bandana';

/** Words of grammar: the surest sign of a language. */
export const FUNCTION_WORDS: Words = {
  en: 'and|the|with|for|of|our|your|this|by|from|without|women|men|mens|womens',
  de: 'und|mit|aus|für|der|die|das|dem|den|ein|eine|im|zum|zur|ohne|auf|von|hohem|hoher|damen|herren|mädchen|jungen|gr|er',
  fr: 'et|avec|en|de|la|le|les|des|du|pour|sans|un|une|à|au|aux|femme|homme|fille|garçon',
  es: 'y|con|de|la|el|los|las|del|para|sin|un|una|en|mujer|hombre|niño|niña',
  it: 'e|con|di|la|il|lo|gli|le|del|della|da|per|senza|un|una|in|donna|uomo|bambino|bambina',
  nl: 'en|met|van|voor|de|het|een|in|op|zonder|dames|heren|jongens|meisjes|uit',
};

/** Frequent words that distinguish the languages. */
export const LANGUAGE_MARKERS: Words = {
  en: 'in|size|pack|new|made|soft|high|low|waist|rise|leg|sleeve|sleeves|neck|collar|pocket|pockets|print|wash|style|original|set|pairs|casual|classic|comfort|black|white|blue|navy|brown|printed|solid|striped|running|sport|training|gym|yoga|fitness|endurance|compete|strike|parachute|power|light|track|trail|street|field|race|racer|team|club|project|ultra|street|weather|air|lightweight|everyday|essential|essentials|premium|stretch|slim|relaxed|regular|fit|cropped|oversized|ribbed|pleated|ruffle|floral|girls|boys|kids|avenue|park|the|me',
  de: '2er|3er|5er|größe|passform|weite|schnitt|bund|bundhöhe|kragen|taschen|tasche|muster|farbe|farben|ärmel|bündchen|reißverschluss|knöpfe|set|teilig|ideal|weicher|weiche|neu|kleid|optik|streifen|details|stehkragen|rundhals|spitze|tupfen|wende|henkel|rahmen|nieten|ausschnitt|gemustert|gestreift|geblümt|verstellbar|elegant|eleganter|elegantes|klassisch|klassischer|schick',
  fr: 'taille|coupe|col|manches|poches|poche|haute|basse|droite|droit|lot|paires|motif|imprimé|imprimée|pointure|cintrée|cintré|ample|doux|bords|zippé|zippée|ceinturé|ceinturée|noir|noire|blanc|blanche|rayures|fleurs|unie|uni|court|courte|longues|courtes|assorti|assortie|nœuds|boucle|côtelé|côtelée|plissé|plissée|contrastant|classique|élégant|élégante',
  es: 'talla|talle|corte|cuello|manga|mangas|bolsillos|bolsillo|tiro|alto|alta|pack|pares|estampado|estampada|cremallera|cintura|suave|ajustado|ajustada|cinturón|pzas|paq|negro|negra|blanco|blanca|rayas|flores|lunares|básica|básico|deportivo|deportiva|clásico|clásica|elegante|tejido|tejida|dama|caballero',
  it: 'taglia|vita|vestibilità|collo|maniche|manica|tasche|tasca|alta|alto|stampa|misura|paia|confezione|pacco|chiusura|cerniera|fantasia|morbido|morbida|bassa|basse|originale|nero|nera|bianco|bianca|righe|fiori|elegante|sportivo|leggera|leggero|suola|cappuccio|bottoni|cotone|intero|intera|logo',
  nl: 'maat|pasvorm|hals|kraag|mouw|mouwen|zakken|zak|print|kleur|rits|taille|hoge|lage|paar|delig|zacht|zachte|boorden|knopen|origineel|capuchon|ronde|lange|korte|zwart|grijs|groen|geel|blauw|rood|roze|uniseks|opdruk|bedrukt|bedrukte|gestreept|gestreepte|geweven|halve',
};

/**
 * Frequent words of titles in languages that are not supported. What they have in common with a supported language
 * is left out.
 */
export const FOREIGN_WORDS =
  'dla|damska|damski|damskie|meska|meski|meskie|dzieciece|dziewczeca|chlopieca|kurtka|spodnie|sukienka|bluza|bluzka|koszula|koszulka|spodnica|buty|czapka|szalik|plaszcz|sweterek|bawelna|czarny|czarna|bialy|biala|niebieski|czerwona|dlugi|dluga|krotki|damske|panske|detske|divci|chlapecke|bunda|kalhoty|saty|sukne|tricko|kosile|mikina|svetr|boty|ponozky|cepice|cierna|nohavice|topanky|ferfi|gyerek|kabat|nadrag|szoknya|ruha|cipo|sapka|kesztyu|melegito|femei|barbati|rochie|rochii|fusta|camasa|geaca|pantofi|tricou|caciula|feminino|feminina|masculina|mulher|homem|menina|menino|jaqueta|casaco|calca|calcas|saia|moletom|meia|meias|algodao|preto|preta|branco|branca|vermelho|och|med|til|uden|utan|dam|klanning|kjole|bukser|byxor|byxa|jacka|jakke|jakker|troja|troje|skjorta|skjorte|skjol|kjol|nederdel|skor|sko|stovler|stovlar|stromper|strumpor|mossa|halsduk|torklaede|genser|frakke|frakk|naisten|miesten|lasten|takki|housut|mekko|paita|hame|kengat|pipo|neule|villapaita|kadin|erkek|cocuk|elbise|gomlek|pantolon|ayakkabi|mont|etek|ceket|kazak|tisort|esofman|bere|canta|corap|zenska|zenske|muska|muske|jakna|hlace|haljina|suknja|majica|kosulja|cipele|cizme|naiste|meeste|laste|jope|puksid|kleit|sieviesu|viriesu|jaka|bikses|kleita|moteriska|vyriska|striuke|kelnes|suknele|vay|giay|baju|celana|kaos|kemeja|wanita|pria|anak|sepatu|jaket|gamis|herre|silke|slips|hitam|panjang|scurti|alcas|longo|trening|colanti|blugi|salopeta|sosete|maiou|hanorac|sacou|maneca|scurta|scurte|tricotat|matlasata|palton|jacheta|esarfa|manusi|curea|femeie|copii|dantela|comprido|comprida|longa|curto|curta|noite|verao|malha|couro|ganga|calcoes|calcinha|sapato|sapatos|sapatilha|sapatilhas|sutia|banho|cachecol|luvas|macacao|macaquinho|colete|alfaiataria|chinelo|chinelos|xadrez|cortininha|coturno|tiracolo|crianca|criancas|curts|llargs|llarg|faldilla|vestit|sabates|mitjons|samarreta|samarretes|jersei|amb|noia|stropper|bomuld|bomull|uld|langermet|langaermet|kortermet|underbukser|underbyxor|badbyxor|badetoj|linne|trusser|truser|strikket|strikkad|skjerf|luer|kofta|hette|huva|nadrukiem|ramiaczkach|rekaw|rekawem|rekawkiem|kapturem|krate|pikowana|dresowe|szorty|rajstopy|skarpety|skarpetki|kamizelka|marynarka|torebka|kozaki|botki|kratke|dlouhe|dlouhym|rukavem|sortky|plavky|tilko|kapuci|polobotky|rovid|hosszu|ujju|zokni|rovidnadrag|kotott|sukat|farkut|lyhyt|pitka|hihainen|kisa|uzun|kollu|bebek|gecelik|prsluk|carape|rukav|rukavima|duge|trei|sferturi|flanel|rasteira|cueca|majtki';

/**
 * Words that Portuguese, Romanian, Catalan, the Nordic languages and others share with the supported ones. Beside a
 * word that only they have, these say nothing for a supported language.
 */
export const SHARED_WITH_FOREIGN =
  'de|da|a|e|en|camisola|vestido|camisa|camiseta|blusa|bermuda|bota|botas|cinto|gorro|pijama|bolsa|manga|estampado|estampada|interior|casual|sandalia|sandalias|dama|pantaloni|pulover|sandale|costume|maglie|lunga|bebe|pantalons|bluse|strand|lang|kort|kurz|dress|jumper|kimono|tunika|tunica|sport|mini|maxi|midi|plus|set|classic|slim|fit|cargo|print|polo|golf|body|top|shirt|shorts|leggings|denim|jeans|hoodie|sweatshirt|cardigan|blazer|parka|bikini|pack|pak';
