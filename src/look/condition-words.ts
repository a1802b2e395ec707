import type { Condition } from './tables.ts';

/**
 * How forecasts name the weather, in any of six languages: Open-Meteo, OpenWeather, Home Assistant, MET
 * Norway, DWD, METAR. A text is read in small letters, without accents and punctuation. The first row that
 * occurs in it decides; `also` is a second word that must occur too.
 */
// biome-ignore format: a table reads best aligned
const WORDS: readonly (readonly [condition: Condition, words: RegExp, also?: RegExp])[] = [
  ['thunderstorm',  /thunder|lightning|gewitter|blitz|donner|\borage|foudre|eclair(?!c)|tormenta|trueno|relampag|temporal|fulmin|\btuon|onweer|bliksem|\b(vc)?ts(ra|gr|sn)?\b/],
  ['hail',          /\bhail|hagel|\bgrele|granizo|grandine|\bshg[rs]\b|\bg[rs]\b/],
  ['sleet',         /sleet|schneeregen|graupel|neige fondue|gresil|aguanieve|nevischio|natte sneeuw|wintry|ice pellet|eisregen|glatteis|ijzel|ijsregen|verglas|\bfz(ra|dz)\b|\bpl\b|\brasn\b|\bsnra\b/],
  ['sleet',         /rain|drizzle|regen|pluie|lluvia|llovizna|piogg/, /freez|gefrier|verglac|engelant|congelant|gelat|gelicid|helad|aanvries|snow|schnee|neige|nieve|\bneve|sneeuw/],
  ['heavy-snow',    /blizzard|schneesturm|sneeuwstorm|snow ?storm|tempete de neige|ventisca|bufera|\+sn/],
  ['heavy-snow',    /snow|schnee|neige|nieve|\bnev(?!el)|sneeuw/, /heavy|stark|kraftig|heftig|intens|fort\b|fortes?\b|forti\b|abondant|fuerte|zwar|hevig|violent|extrem/],
  ['snow',          /snow|schnee|neige|nieve|\bnev(?!el)|sneeuw|ice crystal|diamond dust|\b(sh)?s[ng]\b/],
  ['heavy-rain',    /pour|torren|downpour|cloudburst|starkregen|wolkenbruch|platzregen|diluvi|trombe|aguacero|chaparron|nubifrag|acquazzon|stortbui|hoosbui|wolkbreuk|\+(sh)?ra/],
  ['heavy-rain',    /rain|regen|schauer|shower|pluie|averse|lluvia|piogg|rovesc|bui(en)?\b/, /heavy|stark|kraftig|heftig|intens(?!ity)|fort\b|fortes?\b|forti\b|fuerte|zwar|hevig|violent|extrem/],
  ['drizzle',       /drizzle|spruh|niesel|miesel|bruine|crachin|llovizna|pioviggin|pioggerell|motregen|miezer|\bdz\b/],
  ['drizzle',       /rain|regen|schauer|shower|pluie|averse|lluvia|piogg|rovesc|bui(en)?\b/, /light|leicht|faible|leger|debil|deb[io]l|legger|liger|licht|slight|schwach|zwak/],
  ['rain',          /rain|regen|schauer|shower|pluie|pluvi|averse|lluvi|llov|chubasco|piogg|piov|rovesc|bui(en)?\b|precipit|niederschlag|\b(vc)?(sh|ra|shra|up)\b|\bwet\b|\bnass\b/],
  ['fog',           /\bfog|\bmist|haz[ey]|smok|\bdust|\bsand|\bash\b|(?<!hoch)neb(e|l)|dunst|brouillard|\bbrum|niebla|neblin|calima|nebbi|foschi|nevel|heiig|\b(fg|br|hz|fu|du|sa|va)\b/],
  ['windy',         /wind|breez|squall|tornado|hurricane|typhoon|storm|sturm|orkan|\bboig|\bvent|tempete|bourrasque|rafale|vient|vendaval|tempest|burrasc|raffic|\b(sq|fc)\b/],
  ['clear',         /wolkenlos|unbewolkt|onbewolkt|cloudless|no cloud|sans nuage|sin nubes|senza nubi/],
  ['partly-cloudy', /part(ly|iel|ial)|\bfew|scatter|interval|teil|heiter bis|\bwolkig|(leicht|licht|half|wechselnd|gering) bewolkt|peu nuageux|nuageux par|quelques nuages|eclairc|voile|variabl|parcial|parzial|poco nu|gedeeltelijk|wisselend|opklaring|\bsct/],
  ['cloudy',        /cloud|overcast|bedeckt|bewolkt|hochnebel|\btrub|nuage|couvert|nublado|nuboso|nubes|cubierto|nuvol|copert|betrokken|\bbkn|\bovc|\bdry\b|trocken|\bsec\b|\bseco\b|asciutto|droog/],
  ['clear',         /clear|\bsun|\bfair|\bfine|sonn|heiter|\bklar|soleil|ensoleil|degage|\bclair|solead|\bsol\b|despejad|seren|soleggiat|\bzon|helder|cavok|\b(skc|clr|nsc|nice)\b/],
];

/**
 * Codes: those of the World Meteorological Organization (table 4677; 0 to 3 as Open-Meteo and DWD use
 * them), then those of OpenWeather. Rows are ranges.
 */
// biome-ignore format: a table reads best aligned
const CODES: readonly (readonly [from: number, to: number, condition: Condition])[] = [
  [0, 1, 'clear'], [2, 2, 'partly-cloudy'], [3, 3, 'cloudy'], [4, 12, 'fog'], [13, 13, 'thunderstorm'], [14, 16, 'cloudy'],
  [17, 17, 'thunderstorm'], [18, 19, 'windy'], [20, 20, 'drizzle'], [21, 21, 'rain'], [22, 22, 'snow'], [23, 24, 'sleet'],
  [25, 25, 'rain'], [26, 26, 'snow'], [27, 27, 'hail'], [28, 28, 'fog'], [29, 29, 'thunderstorm'], [30, 35, 'fog'],
  [36, 39, 'snow'], [40, 49, 'fog'], [50, 55, 'drizzle'], [56, 57, 'sleet'], [58, 59, 'drizzle'], [60, 63, 'rain'],
  [64, 65, 'heavy-rain'], [66, 69, 'sleet'], [70, 73, 'snow'], [74, 75, 'heavy-snow'], [76, 78, 'snow'], [79, 79, 'sleet'],
  [80, 81, 'rain'], [82, 82, 'heavy-rain'], [83, 84, 'sleet'], [85, 85, 'snow'], [86, 86, 'heavy-snow'], [87, 90, 'hail'],
  [91, 99, 'thunderstorm'],
  [200, 232, 'thunderstorm'], [300, 321, 'drizzle'], [500, 500, 'drizzle'], [501, 501, 'rain'], [502, 504, 'heavy-rain'],
  [511, 511, 'sleet'], [520, 521, 'rain'], [522, 531, 'heavy-rain'], [600, 601, 'snow'], [602, 602, 'heavy-snow'],
  [611, 616, 'sleet'], [620, 621, 'snow'], [622, 622, 'heavy-snow'], [701, 762, 'fog'], [771, 781, 'windy'],
  [800, 800, 'clear'], [801, 802, 'partly-cloudy'], [803, 804, 'cloudy'],
];

/** Icons of OpenWeather, without the letter for day or night. */
// biome-ignore format: a table reads best aligned
const ICONS: Readonly<Record<string, Condition>> = {
  '01': 'clear', '02': 'partly-cloudy', '03': 'cloudy', '04': 'cloudy', '09': 'rain', '10': 'rain', '11': 'thunderstorm', '13': 'snow', '50': 'fog',
};

/** Says that something is not the case: `no rain`, `ohne Regen`. */
const NEGATED =
  /\b(no|not|without|kein\w*|ohne|pas de|sans|sin|senza|geen|zonder) (?!nuage|nub|cloud)\S+/g;

const NIGHT = /\b(night|nacht|nuit|noche|notte|polartwilight)\b|^\d\dn$/;

/** The weather that a text or a code names, and whether it says that it is night. */
export function readCondition(input: string | number): { condition: Condition; isNight: boolean } {
  const text = String(input)
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9+]+/g, ' ')
    .trim();
  return { condition: conditionOf(text), isNight: NIGHT.test(text) };
}

function conditionOf(text: string): Condition {
  const icon = /^(\d\d)[dn]$/.exec(text)?.[1];
  if (icon) return ICONS[icon] ?? 'unknown';
  if (/^\d+$/.test(text)) {
    const code = Number(text);
    return CODES.find(([from, to]) => from <= code && code <= to)?.[2] ?? 'unknown';
  }
  const said = text.replaceAll(NEGATED, ' ');
  const row = WORDS.find(([, words, also]) => words.test(said) && (also?.test(said) ?? true));
  return row?.[0] ?? 'unknown';
}
