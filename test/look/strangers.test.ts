import { describe, expect, test } from 'vitest';
import { computeDay, DayRequest } from '../../src/look/day.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { computeTrip, TripRequest } from '../../src/look/trips/trip.ts';
import { readCloset } from './closet.ts';
import { firstOutfit } from './grid.ts';

const model = readModel(PARAMS);

/** Closets of strangers: `category#colour:material`; the second of a category is `category-2`. */
const CLOSETS = {
  nurse:
    't_shirt#f5f5f2 t_shirt#1b2a4a long_sleeve_tee#ffffff cardigan#1b2a4a trousers#fbfbf6:cotton jeans#2b3f63 ' +
    'leggings#161616 dress#2f6db3 sneakers#f7f7f5 boots#6b4226 down_jacket#2d2f45 rain_jacket#f2d026 ' +
    'beanie#161616 scarf#c81e2b',
  clerk:
    'dress_shirt#ffffff shirt#a9cbe8 t_shirt#8c8c8c sweater#3d4145:merino blazer#1b2a4a chinos#d8c3a5 ' +
    'dress_trousers#3d4145 jeans#1e2a3d dress_shoes#161616 sneakers#f7f7f5 trench_coat#c2a878 wool_coat#161616 ' +
    'tie#802020',
  sailor:
    't_shirt#f5f5f2 long_sleeve_tee#1b2a4a polo_shirt#2d5a3d sweater#1b2a4a:wool fleece_jacket#3d4145 ' +
    'rain_jacket#c81e2b windbreaker#2f6db3 rain_trousers#161616 cargo_pants#5d5f3a shorts#22303f sneakers#f0efe9 ' +
    'sandals#8b5a2b beanie#c81e2b thermal_top#161616',
  yogi:
    'tank_top#6b2737 t_shirt#f5f5f2 leggings#161616 joggers#8c8c8c hoodie#2f8f3f cardigan#d9c7a3 jeans#2b3f63 ' +
    'sneakers#f7f7f5 sandals#b98b5a down_jacket#161616 dress#1f7a7a',
  hiker:
    't_shirt#2bb3c0:polyester long_sleeve_tee#3d4145:merino fleece_jacket#2d5a3d rain_jacket#f2d026 ' +
    'puffer_vest#c81e2b cargo_pants#5d5f3a leggings#161616 shorts#22303f jeans#2b3f63 sneakers#f7f7f5 ' +
    'boots#5a3a22 sandals#8b5a2b thermal_top#161616 beanie#802020 gloves#161616 cap#203040 down_jacket#2d2f45 ' +
    'ski_trousers#161616 winter_boots#161616',
  mother:
    'tunic#1f7a7a:viscose long_sleeve_tee#ffffff t_shirt#f58a73 leggings#161616 maxi_dress#6b2737:viscose ' +
    'jeans#1e2a3d cardigan#8c8c8c long_sleeve_dress#3a4a5a wool_coat#b98b5a flats#161616 boots#6b4226 ' +
    'sneakers#f7f7f5 scarf#c81e2b:wool sandals#b98b5a',
  kid:
    't_shirt#f2c14e hoodie#a3323a leggings#161616 jeans#2b3f63 shorts#22303f rain_jacket#f2d026 ' +
    'boots#2d5a3d:rubber sneakers#e4572e beanie#802020 down_jacket#c81e2b',
  dandy:
    'suit_set#161616:wool dress_shirt#ffffff shirt#cfe0ea:linen polo_shirt#1b2a4a t_shirt#f5f5f2 ' +
    'turtleneck#161616 sweater#6d1a2d:merino cardigan#3d4145 blazer#1b2a4a waistcoat#3d4145 chinos#d8c3a5 ' +
    'dress_trousers#3d4145 jeans#161616 shorts#8a7f4e dress_shoes#161616 sneakers#f7f7f5 sandals#8b5a2b ' +
    'boots#3b2416 wool_coat#161616 trench_coat#c2a878 rain_jacket#2f6db3 tie#161616 gloves#161616 hat#3d4145:wool ' +
    'scarf#3d4145:wool swimwear#123f5a',
  diva:
    'blouse#e8d8c8:silk blouse#ffffff camisole#161616 t_shirt#f5f5f2 turtleneck#161616 sweater#d9c7a3:cashmere ' +
    'blazer#3d4145 cardigan#c81e2b jeans#2b3f63 trousers#161616:wool skirt_heavy#6b4226 skirt_light#f29dbb ' +
    'maxi_skirt#2d5a3d dress#161616 light_dress#f2c14e evening_dress#b3123a jumpsuit#2c3e66 heels#161616 ' +
    'flats#b98b5a boots#3b2416:leather sneakers#f7f7f5 sandals#c9a227 wool_coat#b98b5a trench_coat#c2a878 ' +
    'leather_jacket#161616 denim_jacket#2b3f63 rain_jacket#2f6db3 down_jacket#161616 scarf#3a4a5a:viscose ' +
    'beanie#802020 gloves#161616 winter_boots#2b2b2b swimwear#c81e2b shorts#e3cf9b',
  tropic:
    't_shirt#161616 short_sleeve_shirt#e4572e shirt#e8e4d8:linen kurta#f4f1ea:cotton chinos#d8c3a5 shorts#22303f ' +
    'sandals#3b2416 sneakers#f7f7f5 dress_shoes#3b2416 rain_jacket#2d5a3d cap#203040 jeans#1e2a3d',
  bedouin:
    'thobe#f5f5f2:cotton t_shirt#161616 trousers#d8c3a5:linen shirt#a9cbe8 cardigan#6b4226 wool_coat#3b2416 ' +
    'sandals#8b5a2b boots#5a3a22 scarf#c81e2b:cotton sweater#8c8c8c:wool light_jacket#5d5f3a cap#203040 ' +
    'jeans#1e2a3d',
  gardener:
    't_shirt#5d5f3a flannel_shirt#a3323a:flannel jeans#2b3f63 dungarees#2b3f63 shorts#8a7f4e fleece_jacket#2d5a3d ' +
    'rain_jacket#f2d026 boots#2d5a3d:rubber sneakers#8c8c8c gloves#6b4226 hat#e3cf9b:straw cap#203040 ' +
    'suit_set#22252b',
  punk:
    't_shirt#161616 hoodie#161616 jeans#161616 leather_jacket#161616:leather denim_jacket#2b3f63 sneakers#c81e2b ' +
    'boots#161616:leather shorts#161616 beanie#161616 flannel_shirt#c81e2b tank_top#8c8c8c joggers#3d4145',
  track:
    'tracksuit_set#1b2a4a t_shirt#f5f5f2 shorts#22303f jeans#2b3f63 hoodie#8c8c8c sneakers#f7f7f5 sandals#161616 ' +
    'down_jacket#161616 tank_top#c81e2b polo_shirt#2d5a3d',
  granny:
    'blouse#ffffff blouse#6b2737:silk turtleneck#d9c7a3:merino sweater#6d1a2d:wool cardigan#8c8c8c:wool ' +
    'trousers#3d4145 trousers#1b2a4a:linen skirt_heavy#3d4145:wool light_dress#a9cbe8:viscose flats#161616 ' +
    'boots#3b2416:leather winter_boots#161616 slippers#6d1a2d sandals#b98b5a wool_coat#3d4145 trench_coat#c2a878 ' +
    'rain_jacket#1b2a4a down_jacket#6b2737 hat#3d4145:wool scarf#6d1a2d:wool gloves#161616:leather',
  boy:
    't_shirt#161616 polo_shirt#1b2a4a hoodie#161616 sweater#1b2a4a jeans#2b3f63 chinos#1b2a4a shorts#d8c3a5 ' +
    'sneakers#f7f7f5 sandals#161616 rain_jacket#f2d026 down_jacket#161616 beanie#2d5a3d gloves#161616',
  northman:
    't_shirt#8c8c8c flannel_shirt#a3323a:flannel hoodie#161616 thick_sweater#1b2a4a:wool thermal_top#161616 ' +
    'long_johns#161616 jeans#1e2a3d rain_trousers#161616 parka#2d2f45 rain_jacket#f2d026 winter_boots#161616 ' +
    'boots#5a3a22:leather sneakers#161616 beanie#802020 gloves#161616 suit_set#161616 dress_shirt#ffffff ' +
    'dress_shoes#161616',
  office:
    'blouse#ffffff camisole#161616:silk t_shirt#161616 shirt#cfe0ea:linen turtleneck#d9c7a3:merino ' +
    'sweater#3d4145:cashmere cardigan#6b2737 blazer#161616 blazer#d8c3a5:linen trousers#3d4145:wool ' +
    'trousers#e8e4d8:linen jeans#1e2a3d leggings#161616 maxi_skirt#2d5a3d light_dress#a9cbe8 dress#1b2a4a heels#161616 ' +
    'flats#b98b5a sneakers#f7f7f5 sandals#b98b5a boots#161616:leather wool_coat#161616 trench_coat#c2a878 ' +
    'rain_jacket#1b2a4a down_jacket#3d4145 scarf#6d1a2d:wool gloves#161616:leather beanie#3d4145 hoodie#8c8c8c',
  oldman:
    'shirt#a9cbe8 shirt#e8e4d8:linen flannel_shirt#6b4226:flannel polo_shirt#2d5a3d t_shirt#ffffff ' +
    'sweater#6d1a2d:wool knit_vest#3d4145 thick_sweater#d9c7a3:wool waistcoat#3d4145 suit_set#3d4145:wool ' +
    'dress_shirt#ffffff corduroy_wool_trousers#6b4226 chinos#d8c3a5 shorts#8a7f4e dress_shoes#161616 ' +
    'boots#3b2416:leather sneakers#8c8c8c sandals#8b5a2b slippers#6b4226 wool_coat#3d4145 trench_coat#c2a878 ' +
    'rain_jacket#2d5a3d light_jacket#8c8f7a parka#2d2f45 fleece_jacket#2d5a3d scarf#6d1a2d:wool long_johns#8c8c8c ' +
    'tie#6d1a2d',
  lawyer:
    'blouse#ffffff:silk dress_shirt#a9cbe8 blazer#1b2a4a blazer#e8e4d8:linen dress_trousers#1b2a4a dress#161616 ' +
    'light_dress#f2c14e:linen heels#161616 flats#161616 wool_coat#b98b5a',
  anna:
    't_shirt#ffffff t_shirt#161616 long_sleeve_tee#1b2a4a tank_top#f58a73 blouse#ffffff shirt#a9cbe8 turtleneck#161616 ' +
    'sweater#8c8c8c thick_sweater#6d1a2d:wool cardigan#2d5a3d hoodie#8c8c8c blazer#1b2a4a jeans#2b3f63 trousers#3d4145 ' +
    'chinos#d8c3a5 leggings#161616 joggers#8c8c8c shorts#8a7f4e skirt_light#f29dbb skirt_heavy#6b4226:wool ' +
    'maxi_skirt#2d5a3d dress#1b2a4a light_dress#f2c14e long_sleeve_dress#3a4a5a:wool evening_dress#b3123a tights#161616 ' +
    'sneakers#f7f7f5 sports_shoes#e4572e boots#6b4226:leather winter_boots#161616 flats#161616 heels#161616 ' +
    'sandals#b98b5a wool_coat#b98b5a down_jacket#161616 rain_jacket#f2d026 trench_coat#c2a878 leather_jacket#161616 ' +
    'beanie#802020 hat#3d4145:wool cap#203040 scarf#c81e2b:wool gloves#161616 socks_thick#8c8c8c thermal_top#161616 ' +
    'long_johns#161616 kimono_duster#8a3b4a',
  ben:
    't_shirt#ffffff t_shirt#161616 long_sleeve_tee#8c8c8c polo_shirt#1b2a4a shirt#a9cbe8 dress_shirt#ffffff ' +
    'sweater#3d4145 thick_sweater#d9c7a3:wool hoodie#1b2a4a fleece_jacket#2d5a3d blazer#1b2a4a suit_set#3d4145:wool ' +
    'tie#802020 tie#1b2a4a jeans#2b3f63 chinos#1b2a4a dress_trousers#3d4145 joggers#161616 shorts#d8c3a5 ' +
    'sneakers#f7f7f5 sports_shoes#e4572e boots#6b4226:leather winter_boots#161616 dress_shoes#161616 sandals#3b2416 ' +
    'wool_coat#3d4145 parka#5d5f3a rain_jacket#2f6db3 bomber_jacket#161616 windbreaker#c81e2b beanie#161616 ' +
    'hat#3d4145 scarf#3d4145:wool gloves#161616 thermal_top#161616 long_johns#161616 ski_trousers#c81e2b',
  amira:
    'abaya#161616 saree_traditional#b3123a:silk hanfu_qipao#c81e2b:silk kurta#f4f1ea shalwar_kameez#3f6f5a blouse#ffffff ' +
    't_shirt#161616 jeans#1e2a3d trousers#3d4145 maxi_dress#2d5a3d sherwani#c9a227:silk thobe#ffffff cardigan#d9c7a3 ' +
    'hoodie#3d4145 kimono_duster#8a3b4a cape_poncho#8a3b4a wool_coat#161616 down_jacket#2d2f45 sneakers#f7f7f5 ' +
    'sandals#b98b5a heels#c9a227 dress_shoes#3b2416 boots#161616 scarf#3a4a5a beanie#161616 gloves#161616',
  pupil:
    't_shirt#f2c14e long_sleeve_tee#ffffff hoodie#a3323a sweater#8c8c8c fleece_jacket#2d5a3d joggers#8c8c8c jeans#2b3f63 ' +
    'chinos#1b2a4a shirt#ffffff dress#b3123a flats#ffffff blazer#1b2a4a ski_trousers#203040 rain_jacket#f2d026:rubber ' +
    'parka#2f6db3 winter_boots#203040 sneakers#f7f7f5 sandals#161616 beanie#802020 gloves#161616',
  clara:
    't_shirt#ffffff blouse#a9cbe8 sweater#8c8c8c turtleneck#161616 cardigan#6d1a2d blazer#1b2a4a jeans#2b3f63 ' +
    'dress_trousers#161616 skirt_heavy#8c8c8c:wool long_sleeve_dress#3d4145:wool dress#161616 light_dress#f29dbb ' +
    'maxi_skirt#d8c3a5 kaftan#1f7a7a:silk boots#161616:leather heels#161616 flats#d8c3a5 sneakers#f7f7f5 ' +
    'wool_coat#b98b5a rain_jacket#1b2a4a gloves#161616 scarf#6d1a2d thermal_top#161616 long_johns#161616 beanie#8c8c8c',
  rider:
    't_shirt#8c8c8c shirt#a9cbe8 sweater#1b2a4a chinos#d8c3a5 jeans#2b3f63 suit_set#d8c3a5:linen suit_set#3d4145:wool ' +
    'dress_shirt#ffffff dress_trousers#8c8c8c dress_shoes#161616 boots#6b4226:leather sneakers#f7f7f5 rain_jacket#161616 ' +
    'rain_trousers#161616 wool_coat#3d4145 beanie#1b2a4a gloves#161616 thermal_top#161616 long_johns#161616 tie#6d1a2d',
  runner:
    't_shirt#2bb3c0:polyester long_sleeve_tee#161616 joggers#3d4145 leggings#161616 rain_trousers#161616 hoodie#8c8c8c ' +
    'sports_shoes#e4572e sneakers#f7f7f5 rain_jacket#f2d026',
  gymless:
    't_shirt#ffffff long_sleeve_tee#1b2a4a hoodie#8c8c8c chinos#d8c3a5 jeans#2b3f63 shorts#22303f ' +
    'rain_trousers#161616 long_johns#161616 thermal_top#161616 sneakers#f7f7f5 winter_boots#161616 rain_jacket#f2d026 ' +
    'parka#5d5f3a beanie#161616 gloves#161616',
  trekker:
    't_shirt#ffffff:cotton long_sleeve_tee#3d4145:merino hoodie#8c8c8c:cotton fleece_jacket#2d5a3d jeans#2b3f63 ' +
    'trousers#5d5f3a:nylon rain_trousers#161616 rain_jacket#f2d026 sneakers#f7f7f5 boots#5a3a22:leather',
  guest: 'long_sleeve_dress#3d4145:wool light_dress#f29dbb flats#161616 heels#161616',
  woodman:
    'flannel_shirt#a3323a:flannel shirt#ffffff t_shirt#8c8c8c jeans#2b3f63 sneakers#f7f7f5 boots#6b4226:leather',
  builder:
    't_shirt#161616 shirt#ffffff:linen long_sleeve_tee#1b2a4a dress_shirt#ffffff sweater#d9c7a3:cashmere sweatshirt#8c8c8c ' +
    'fleece_jacket#2d5a3d jeans#2b3f63 cargo_pants#8a7f4e shorts#8a7f4e:cotton dress_trousers#3d4145 ski_trousers#161616 ' +
    'sneakers#f7f7f5 boots#6b4226:leather dress_shoes#161616 winter_boots#161616 parka#2d2f45 wool_coat#161616 ' +
    'blazer#1b2a4a hat#e3cf9b:straw thermal_top#161616 beanie#161616 gloves#161616',
  skier:
    't_shirt#f5f5f2:cotton hoodie#8c8c8c:cotton fleece_jacket#2d5a3d leggings#161616 jeans#2b3f63 sneakers#f7f7f5 ' +
    'thermal_top#161616:merino long_johns#161616 ski_trousers#161616 winter_boots#161616 parka#c81e2b:membrane ' +
    'leather_jacket#161616 beanie#161616 gloves#161616',
  indian:
    'shalwar_kameez#2d5a3d:cotton saree_traditional#c81e2b:silk kurta#f4f1ea:cotton leggings#161616 jeans#2b3f63 ' +
    'shirt#ffffff heels#161616 sandals#c9a227 sneakers#f7f7f5',
  bavarian:
    'turtleneck#161616 trousers#3d4145:nylon jeans#2b3f63 dirndl#6d1a2d blouse#ffffff heels#161616 boots#6b4226:leather',
  ward: 'blouse#f4f1ea t_shirt#ffffff maxi_dress#2d5a3d jeans#1e2a3d dress_trousers#161616 sneakers#f7f7f5 rain_jacket#2f6db3',
  pensioner:
    'cardigan#8c8c8c:wool flannel_shirt#a3323a:flannel shirt#a9cbe8 corduroy_wool_trousers#6b4226 jeans#2b3f63 ' +
    'sneakers#f7f7f5:leather winter_boots#161616:rubber parka#1b2a4a wool_coat#3d4145 gloves#161616 beanie#161616',
  bride:
    'sweater#c9a227:wool chinos#161616 jeans#2b3f63 dress#1b2a4a cardigan#8c8c8c heels#161616 sneakers#f7f7f5',
  tiny:
    't_shirt#f5f5f2 blouse#ffffff jeans#1e2a3d skirt_light#6b2737 sneakers#f7f7f5 flats#161616 ' +
    'light_jacket#8c8f7a sweater#8c8c8c',
};

interface Extra {
  /** Code of the first explanation. */
  first?: string;
  /** What the shell offers first. */
  shell?: string;
  /** Items in the wash. */
  wash?: string;
  /** A hard rule that nothing in the closet keeps. */
  breaks?: string;
}

const weather = (tempC: number, condition: string, windMs = 3, humidityPct = 70, isDay = true) => ({
  tempC,
  condition,
  windMs,
  humidityPct,
  isDay,
});

/** What is worn: one of each group, `a|b; c`; and what is not. */
// biome-ignore format: a table reads best aligned
const REQUESTS: readonly [string, keyof typeof CLOSETS, object, string, string, Extra?][] = [
  ['monsoon street', 'tropic', { weather: weather(29, 'Heavy rain shower', 5, 92), met: 1.8, occasion: 'casual', plan: 'outdoor', locale: 'en' }, 't_shirt|short_sleeve_shirt|shirt|kurta; sandals|sneakers', 'jeans dress_shoes'],
  ['monsoon office', 'tropic', { weather: weather(30, 'Gewitter', 6, 88), met: 1.6, occasion: 'work', locale: 'de' }, 'chinos|jeans; shirt|kurta|short_sleeve_shirt', 'shorts sandals t_shirt'],
  ['desert night', 'bedouin', { weather: weather(6, 'clear-night', 2, 25, false), met: 1.6, occasion: 'casual', plan: 'outdoor', locale: 'fr' }, 'wool_coat|light_jacket; boots', 'sandals'],
  ['desert noon', 'bedouin', { weather: weather(41, 'ensoleillé', 3, 12), met: 1.6, occasion: 'casual', plan: 'outdoor', locale: 'fr' }, 'thobe|t_shirt|shirt; sandals', 'sweater wool_coat cardigan boots light_jacket jeans', { first: 'danger.heat-caution' }],
  ['fog 3 degrees', 'clerk', { weather: weather(3, 'Nebel', 1, 98), met: 2, occasion: 'work', plan: 'outdoor', locale: 'de' }, 'wool_coat|trench_coat; chinos|dress_trousers', 't_shirt'],
  ['Föhn hike', 'hiker', { weather: weather(19, 'windy', 14, 30), met: 4, occasion: 'outdoor', locale: 'de' }, 'boots|sneakers', 'down_jacket beanie thermal_top gloves ski_trousers winter_boots'],
  ['heat wave town', 'diva', { weather: weather(37, 'soleado', 2, 30), met: 1.6, occasion: 'casual', plan: 'outdoor', locale: 'es' }, 'light_dress|camisole|t_shirt|blouse; sandals|flats|sneakers', 'jeans sweater boots leather_jacket trousers swimwear turtleneck heels', { first: 'danger.heat-caution' }],
  ['sea wind', 'sailor', { weather: weather(14, 'vent fort', 13, 75), met: 2.5, occasion: 'outdoor', locale: 'fr' }, 'rain_jacket|windbreaker; cargo_pants|rain_trousers; sneakers', 'shorts sandals'],
  ['slush', 'diva', { weather: weather(2, 'Schneeregen', 5, 95), met: 1.8, occasion: 'casual', plan: 'outdoor', locale: 'de' }, 'boots|winter_boots; wool_coat|down_jacket|rain_jacket|trench_coat', 'heels flats sandals skirt_light light_dress shorts swimwear sneakers'],
  ['funeral of a man in rain', 'dandy', { weather: weather(9, 'pioggia', 4, 90), met: 1.4, occasion: 'ceremony', locale: 'it' }, 'suit_set|dress_trousers; dress_shoes; dress_shirt', 'polo_shirt t_shirt sneakers jeans shorts sandals'],
  ['funeral in frost', 'diva', { weather: weather(-3, 'bewolkt', 3, 80), met: 1.4, occasion: 'ceremony', plan: 'outdoor', locale: 'nl' }, 'wool_coat|down_jacket; gloves', 'jeans sneakers light_dress sandals swimwear shorts t_shirt'],
  ['wedding guest in July', 'diva', { weather: weather(27, 'sunny', 3, 50), met: 1.4, occasion: 'ceremony', locale: 'en' }, 'dress|evening_dress|jumpsuit|light_dress|skirt_heavy|maxi_skirt|trousers; heels|flats', 'jeans sneakers shorts swimwear sandals turtleneck'],
  ['wedding guest, a man in heat', 'dandy', { weather: weather(31, 'clear', 2, 40), met: 1.4, occasion: 'ceremony', locale: 'en' }, 'dress_shirt|shirt; dress_trousers|suit_set; dress_shoes', 'shorts t_shirt sneakers polo_shirt sandals wool_coat'],
  ['interview', 'clerk', { weather: weather(18, 'overcast clouds'), met: 1.6, occasion: 'business_formal', locale: 'en' }, 'blazer; dress_trousers|chinos; dress_shoes; dress_shirt|shirt', 't_shirt jeans sneakers'],
  ['interview from eight things', 'tiny', { weather: weather(24, 'nubes dispersas'), met: 1.4, occasion: 'work', locale: 'es' }, 'blouse; flats; skirt_light|jeans', 'sneakers t_shirt'],
  ['gardening in drizzle', 'gardener', { weather: weather(13, 'Nieselregen', 2, 92), met: 3.2, occasion: 'outdoor', locale: 'de' }, 'boots; rain_jacket; jeans|dungarees', 'suit_set shorts hat'],
  ['gardening in frost', 'gardener', { weather: weather(-2, 'clear'), met: 3, occasion: 'outdoor', locale: 'en' }, 'gloves; boots; jeans|dungarees; fleece_jacket|flannel_shirt|rain_jacket', 'suit_set shorts hat sneakers'],
  ['festival in sun', 'punk', { weather: weather(24, 'few clouds', 3, 50), met: 2, occasion: 'casual', plan: 'outdoor', locale: 'en' }, 't_shirt|tank_top; sneakers|boots|sandals', 'beanie leather_jacket hoodie'],
  ['festival in showers', 'punk', { weather: weather(15, 'averses', 4, 85), met: 1.8, occasion: 'casual', plan: 'outdoor', locale: 'fr' }, 'jeans|joggers; boots|sneakers', 'tank_top shorts beanie'],
  ['school run', 'mother', { weather: weather(8, 'aguacero', 5, 92), met: 2, occasion: 'casual', plan: 'outdoor', locale: 'es' }, 'wool_coat; boots', 'sandals flats maxi_dress'],
  ['to school in wind', 'kid', { weather: weather(12, 'bewölkt', 8), met: 1.8, occasion: 'school', plan: 'outdoor', locale: 'de' }, 'rain_jacket|down_jacket|hoodie; jeans|leggings', 'shorts beanie'],
  ['hospital shift in May', 'nurse', { weather: weather(20, 'cloudy'), met: 2.4, occasion: 'work', locale: 'en' }, 't_shirt|long_sleeve_tee|dress; sneakers', 'down_jacket boots leggings rain_jacket'],
  ['hospital shift in snow', 'nurse', { weather: weather(-7, 'neige', 3, 85), met: 2.2, occasion: 'work', locale: 'fr' }, 'boots', 'sneakers leggings', { shell: 'down_jacket' }],
  ['hike in rain', 'hiker', { weather: weather(11, 'lluvia', 4, 92), met: 4.5, occasion: 'outdoor', locale: 'es' }, 'rain_jacket; boots; cargo_pants|leggings', 'jeans shorts sneakers down_jacket'],
  ['hike in heat', 'hiker', { weather: weather(28, 'clear', 2, 45), met: 4, occasion: 'outdoor', locale: 'en' }, 't_shirt; shorts|leggings|cargo_pants; sneakers|boots', 'down_jacket fleece_jacket jeans rain_jacket puffer_vest sandals'],
  ['alpine snow', 'hiker', { weather: weather(-6, 'neve', 9, 85), met: 3.5, occasion: 'outdoor', locale: 'it' }, 'gloves; beanie; boots|winter_boots; rain_jacket|down_jacket', 'jeans shorts cap'],
  ['yoga', 'yogi', { weather: weather(3, 'cloudy'), met: 2.5, occasion: 'sport', indoorTempC: 24, locale: 'en' }, 'leggings|joggers; tank_top|t_shirt', 'jeans down_jacket dress hoodie cardigan'],
  ['hot yoga', 'yogi', { weather: weather(3, 'cloudy'), met: 3, occasion: 'sport', indoorTempC: 36, locale: 'en' }, 'leggings; tank_top|t_shirt', 'jeans down_jacket dress hoodie cardigan joggers'],
  ['night out', 'diva', { weather: weather(12, 'clear-night', 3, 70, false), met: 1.6, occasion: 'party', locale: 'fr' }, 'heels|flats|boots', 'sneakers shorts swimwear t_shirt sandals winter_boots', { shell: 'wool_coat|trench_coat|leather_jacket' }],
  ['night out of a teen', 'punk', { weather: weather(6, 'cloudy', 3, 70, false), met: 1.8, occasion: 'party', plan: 'outdoor', locale: 'de' }, 'leather_jacket|denim_jacket; jeans; boots|sneakers', 'shorts tank_top joggers'],
  ['mosque visit', 'diva', { weather: weather(30, 'clear', 3, 50), met: 1.6, occasion: 'casual', plan: 'outdoor', coverage: ['head', 'arms', 'legs'], locale: 'fr' }, 'scarf; maxi_skirt|trousers|jumpsuit|jeans', 'shorts swimwear light_dress beanie skirt_light turtleneck wool_coat'],
  ['temple visit', 'tropic', { weather: weather(33, 'partly cloudy', 2, 75), met: 1.6, occasion: 'casual', plan: 'outdoor', coverage: ['legs'], locale: 'en' }, 'chinos|jeans; sandals|sneakers', 'shorts rain_jacket', { first: 'danger.heat' }],
  ['wide wear at the office', 'mother', { weather: weather(20, 'licht bewolkt'), met: 1.4, occasion: 'work', locale: 'nl', exclude: ['jeans'] }, 'tunic|long_sleeve_dress|long_sleeve_tee|maxi_dress; flats|boots', 'sandals t_shirt wool_coat'],
  ['wide wear in heat', 'mother', { weather: weather(32, 'clear', 2, 50), met: 1.4, occasion: 'casual', plan: 'outdoor', locale: 'en' }, 'maxi_dress|tunic|t_shirt; sandals|flats|sneakers', 'jeans wool_coat boots cardigan'],
  ['by plane in summer', 'clerk', { weather: weather(27, 'clear', 3, 50), met: 1.2, occasion: 'travel', indoorTempC: 21, locale: 'en' }, 'chinos|jeans; sneakers', 'tie blazer dress_trousers dress_shirt wool_coat dress_shoes'],
  ['by plane in winter', 'yogi', { weather: weather(-4, 'Schneefall', 4, 85), met: 1.2, occasion: 'travel', indoorTempC: 21, locale: 'de' }, 'jeans|joggers|leggings; sneakers', 'sandals', { shell: 'down_jacket' }],
  ['rain with eight things', 'tiny', { weather: weather(13, 'rain', 4, 90), met: 1.8, occasion: 'casual', plan: 'outdoor', locale: 'en' }, 'jeans; sweater|blouse|t_shirt; sneakers|flats', 'skirt_light'],
  ['must skirt', 'tiny', { weather: weather(21, 'sunny', 2, 50), met: 1.6, occasion: 'date', must: ['skirt_light'], locale: 'en' }, 'skirt_light; blouse|t_shirt|sweater; flats|sneakers', 'jeans'],
  ['pinned heels in rain', 'diva', { weather: weather(7, 'Regen', 4, 90), met: 1.4, occasion: 'party', pin: ['heels'], plan: 'outdoor', locale: 'de' }, 'heels; rain_jacket|trench_coat|wool_coat', 'sneakers shorts light_dress'],
  ['without the coat', 'clerk', { weather: weather(4, 'couvert', 4, 80), met: 1.8, occasion: 'work', plan: 'outdoor', exclude: ['wool_coat'], locale: 'fr' }, 'trench_coat; sweater|blazer', 'wool_coat t_shirt'],
  ['jeans in the wash', 'nurse', { weather: weather(14, 'cloudy', 4), met: 1.8, occasion: 'casual', plan: 'outdoor', locale: 'en' }, 'trousers|leggings|dress; sneakers|boots', 'jeans', { wash: 'jeans' }],
  ['at home at 31', 'track', { weather: weather(31, 'clear', 2, 50), met: 1.2, occasion: 'home', locale: 'de' }, 't_shirt|tank_top|polo_shirt; shorts', 'tracksuit_set hoodie jeans'],
  ['a run at 15', 'track', { weather: weather(15, 'partly cloudy'), met: 7, occasion: 'sport', locale: 'en' }, 'shorts; t_shirt|tank_top; sneakers', 'tracksuit_set jeans hoodie down_jacket'],
  ['a first job', 'track', { weather: weather(10, 'cloudy'), met: 1.4, occasion: 'work', locale: 'en' }, 'jeans; polo_shirt', 'tracksuit_set shorts sandals tank_top'],
  ['sledging toddler', 'kid', { weather: weather(-3, 'heavy-snow', 3, 90), met: 3, occasion: 'outdoor', locale: 'fr' }, 'down_jacket|rain_jacket; boots; beanie', 'shorts sneakers'],
  ['child at the beach', 'kid', { weather: weather(26, 'sunny', 4, 55), met: 2, occasion: 'beach', locale: 'en' }, 't_shirt; shorts', 'boots hoodie jeans down_jacket'],
  ['sailing in a storm', 'sailor', { weather: weather(9, 'heavy-rain', 24, 95), met: 2.2, occasion: 'outdoor', locale: 'en' }, 'rain_jacket; rain_trousers', 'shorts sandals'],
  ['trench in rain', 'clerk', { weather: weather(12, 'Regen', 5, 90), met: 2, occasion: 'work', plan: 'outdoor', locale: 'de' }, 'trench_coat', 't_shirt sneakers'],
  ['dandy in a storm of 90 km/h', 'dandy', { weather: weather(11, 'heavy-rain', 25, 95), met: 2, occasion: 'casual', plan: 'outdoor', locale: 'en' }, 'rain_jacket', 'trench_coat shorts sandals'],
  ['gale to the office', 'dandy', { weather: weather(11, 'windy', 25), met: 2, occasion: 'work', plan: 'outdoor', locale: 'en' }, 'rain_jacket|wool_coat', 'shorts sandals'],
  ['beach breeze', 'diva', { weather: weather(25, 'clear', 6, 60), met: 1.2, occasion: 'beach', locale: 'fr' }, 'swimwear|light_dress|shorts; sandals', 'leather_jacket sweater blazer boots jeans'],
  ['beach at dusk', 'diva', { weather: weather(20, 'clear', 3, 70, false), met: 1.2, occasion: 'beach', locale: 'en' }, 'cardigan|sweater|denim_jacket', 'swimwear leather_jacket blazer boots wool_coat'],
  ['man at the beach', 'dandy', { weather: weather(30, 'clear', 3, 50), met: 1.2, occasion: 'beach', locale: 'it' }, 'swimwear|shorts; sandals', 'dress_shoes jeans suit_set wool_coat waistcoat'],
  ['cyclist in drizzle', 'hiker', { weather: weather(12, 'drizzle', 3, 92), met: 6, occasion: 'sport', locale: 'en' }, 'rain_jacket', 'jeans down_jacket boots ski_trousers'],
  ['run at -12', 'hiker', { weather: weather(-12, 'clear', 2), met: 7, occasion: 'sport', locale: 'de' }, 'gloves; leggings; beanie', 'jeans cargo_pants shorts ski_trousers boots down_jacket'],
  ['cold flat', 'mother', { weather: weather(-4, 'snow', 3, 80), met: 1.1, occasion: 'home', indoorTempC: 17, locale: 'nl' }, 'cardigan|long_sleeve_dress', 'wool_coat boots sandals'],
  ['skiing on a grey day', 'hiker', { weather: weather(-5, 'snow', 4, 85), met: 4, occasion: 'sport', locale: 'de' }, 'ski_trousers; winter_boots; gloves', 'sneakers jeans shorts'],
  ['date on a mild evening', 'dandy', { weather: weather(16, 'partly cloudy', 2, 60, false), met: 1.6, occasion: 'date', plan: 'outdoor', locale: 'fr' }, 'chinos|dress_trousers|jeans; dress_shoes|boots|sneakers', 'shorts sandals swimwear suit_set'],
  ['dog walk at dawn', 'track', { weather: weather(-1, 'fog', 1, 98), met: 2.2, occasion: 'casual', plan: 'outdoor', locale: 'en' }, 'down_jacket; jeans|tracksuit_set', 'shorts sandals tank_top'],
  // Too cold for the wardrobe.
  ['far too cold: the thick sweater and the winter boots', 'northman', { weather: weather(-25, 'clear'), met: 1.6, occasion: 'travel', plan: 'outdoor' }, 'parka; thick_sweater; winter_boots; thermal_top; long_johns', 'hoodie boots dress_shoes rain_jacket'],
  ['a funeral in hard frost', 'northman', { weather: weather(-16, 'windy', 9), met: 1.6, occasion: 'ceremony', plan: 'outdoor' }, 'parka; suit_set; boots|winter_boots', 'dress_shoes sneakers rain_jacket'],
  ['snow that does not melt', 'granny', { weather: weather(-3, 'heavy-snow', 6), met: 1.4, occasion: 'party', plan: 'outdoor' }, 'wool_coat|down_jacket; boots|winter_boots; gloves; hat', 'rain_jacket flats'],
  ['a wedding in the cold without a fine coat', 'boy', { weather: weather(3, 'fog', 2), met: 1.2, occasion: 'ceremony', plan: 'outdoor' }, 'down_jacket', 'rain_jacket sandals', { breaks: 'ceremony-casual' }],
  ['the opera at -15', 'office', { weather: weather(-15, 'clear'), met: 1.4, occasion: 'party', plan: 'outdoor' }, 'wool_coat|down_jacket; boots; trousers', 'blazer-2 heels flats light_dress'],
  // Material.
  ['a client in a cloudburst', 'office', { weather: weather(10, 'heavy-rain', 7), met: 1.8, occasion: 'work', plan: 'outdoor' }, 'rain_jacket|trench_coat; boots', 'blazer-2 trousers-2 shirt camisole'],
  ['a walk in the hills', 'office', { weather: weather(22, 'clear'), met: 2.6, occasion: 'outdoor' }, 't_shirt', 'camisole sandals'],
  ['drizzle in town', 'office', { weather: weather(17, 'drizzle'), met: 1.6, occasion: 'casual', plan: 'outdoor' }, 'trench_coat|rain_jacket', 'light_dress'],
  ['a tie at dinner', 'oldman', { weather: weather(10, 'clear-night', 2, 70, false), met: 1.4, occasion: 'date', must: ['tie'] }, 'shirt|dress_shirt', 'shirt-2 polo_shirt flannel_shirt t_shirt'],
  ['a waistcoat at work', 'oldman', { weather: weather(14, 'cloudy'), met: 1.6, occasion: 'work', must: ['waistcoat'] }, 'waistcoat; shirt|dress_shirt', 'sweater thick_sweater t_shirt'],
  // Too warm.
  ['a bench in the wind', 'oldman', { weather: weather(19, 'windy', 10), met: 1.4, occasion: 'casual', plan: 'outdoor' }, 'light_jacket|rain_jacket|trench_coat', 'thick_sweater corduroy_wool_trousers parka long_johns'],
  ['a shower in October', 'oldman', { weather: weather(13, 'rain', 4), met: 1.4, occasion: 'school', plan: 'outdoor' }, 'rain_jacket|trench_coat', 'long_johns fleece_jacket thick_sweater suit_set'],
  ['to the office at 14', 'office', { weather: weather(14, 'cloudy'), met: 1.8, occasion: 'work' }, 'boots|flats|sneakers', 'heels', { shell: 'trench_coat|rain_jacket' }],
  // In rooms.
  ['a cool cabin in summer', 'office', { weather: weather(29, 'sunny'), met: 1.2, occasion: 'travel', indoorTempC: 19 }, 'sweater|cardigan|turtleneck|hoodie; sneakers|flats|boots', 'light_dress sandals'],
  ['slippers at home', 'granny', { weather: weather(-2, 'cloudy'), met: 1.1, occasion: 'home', indoorTempC: 20 }, 'slippers', 'boots flats sandals'],
  ['a hot flat', 'boy', { weather: weather(27, 'clear', 2), met: 1.2, occasion: 'home' }, 't_shirt|polo_shirt', 'hoodie sweater'],
  // What is left.
  ['a confirmation of a boy', 'boy', { weather: weather(17, 'partly cloudy'), met: 1.4, occasion: 'ceremony' }, 'chinos; polo_shirt|sweater; sneakers', 'sandals shorts hoodie', { breaks: 'ceremony-casual' }],
  ['a church in the heat', 'office', { weather: weather(32, 'sunny', 2, 50), met: 1.6, occasion: 'travel', plan: 'outdoor', coverage: ['arms', 'legs'] }, 'trousers|maxi_skirt', 'leggings jeans turtleneck'],
  ['a thunderstorm at 21', 'office', { weather: weather(21, 'thunderstorm', 5, 90), met: 1.6, occasion: 'casual' }, 'sneakers|boots|flats', 'sandals', { shell: 'rain_jacket' }],
  ['a turtleneck under a sweater', 'granny', { weather: weather(-8, 'cloudy'), met: 1.6, occasion: 'casual', plan: 'outdoor', must: ['turtleneck', 'sweater'] }, 'turtleneck; sweater; down_jacket|wool_coat', 'flats'],
  ['sleeves for a run in frost', 'hiker', { weather: weather(-4, 'cloudy'), met: 6, occasion: 'sport' }, 'long_sleeve_tee', 'jeans shorts'],
  // Sun, rain and snow.
  ['weeding in the sun', 'gardener', { weather: weather(28, 'sunny', 2, 50), met: 2.5, occasion: 'outdoor' }, 'hat|cap', 'gloves suit_set'],
  ['a market in the sun', 'tropic', { weather: weather(27, 'partly cloudy', 2, 60), met: 1.8, occasion: 'casual', plan: 'outdoor' }, 'cap', 'jeans'],
  ['a deck in heavy rain', 'sailor', { weather: weather(11, 'heavy-rain', 4, 92), met: 3, occasion: 'outdoor' }, 'rain_jacket; rain_trousers', 'shorts sandals'],
  ['a yard in heavy rain', 'northman', { weather: weather(7, 'heavy-rain', 6, 90), met: 2, occasion: 'home', plan: 'outdoor' }, 'rain_jacket|parka; rain_trousers', 'suit_set sneakers'],
  ['to the office in rain at 9', 'office', { weather: weather(9, 'rain', 8, 88), met: 2, occasion: 'work', plan: 'outdoor' }, 'rain_jacket|trench_coat', 'wool_coat down_jacket'],
  ['a bank in May', 'dandy', { weather: weather(19, 'clear', 2, 55), met: 2.6, occasion: 'business_formal' }, 'dress_shirt; dress_trousers|suit_set', 'polo_shirt chinos shirt'],
  ['a court in heat', 'lawyer', { weather: weather(30, 'sunny', 2, 50), met: 1.3, occasion: 'business_formal', indoorTempC: 23 }, 'dress_shirt|blouse|dress; dress_trousers|dress', 'light_dress blazer-2'],
  ['a wedding in a storm', 'dandy', { weather: weather(15, 'windy', 12, 60), met: 1.4, occasion: 'ceremony', plan: 'outdoor' }, 'wool_coat', 'rain_jacket'],
  ['a rest on a wet beach', 'oldman', { weather: weather(12, 'rain', 4, 85), met: 1, occasion: 'beach' }, 'parka|rain_jacket; thick_sweater|fleece_jacket|sweater', 'sandals shorts long_johns'],
  ['a flight in hard frost', 'hiker', { weather: weather(-25, 'clear'), met: 2.6, occasion: 'travel', indoorTempC: 21 }, 'jeans|cargo_pants', 'leggings', { shell: 'down_jacket' }],
  ['to a café in drizzle', 'granny', { weather: weather(19, 'drizzle', 3, 85), met: 2, occasion: 'casual' }, 'flats|boots', 'sandals', { shell: 'rain_jacket' }],
  ['an errand in drizzle', 'office', { weather: weather(16, 'drizzle', 3, 85), met: 2.6, occasion: 'date', plan: 'outdoor' }, 'rain_jacket|trench_coat', 'sandals'],
  ['to work in warm rain', 'tropic', { weather: weather(27, 'rain', 3, 80), met: 2, occasion: 'work' }, 'chinos|jeans', 'shorts', { shell: 'rain_jacket' }],
  ['a dry day at school', 'kid', { weather: weather(10, 'cloudy'), met: 1.6, occasion: 'school' }, 'sneakers', 'boots'],
  // Shoes.
  ['a party in the hardest frost', 'ben', { weather: weather(-25, 'clear'), met: 1.4, occasion: 'party', plan: 'outdoor' }, 'winter_boots; parka|wool_coat', 'boots dress_shoes'],
  ['a hike in drizzle', 'hiker', { weather: weather(16, 'drizzle', 3, 85), met: 4, occasion: 'outdoor' }, 'boots', 'sneakers sandals'],
  ['a run in light frost', 'ben', { weather: weather(-3, 'snow'), met: 6, occasion: 'sport' }, 'joggers; sports_shoes', 'ski_trousers winter_boots hat'],
  ['a lunch in a saree', 'amira', { weather: weather(20, 'clear'), met: 1.4, occasion: 'date', must: ['saree_traditional'] }, 'heels|sandals', 'sneakers'],
  // Legs.
  ['sport in the snow without sports trousers', 'gymless', { weather: weather(-2, 'heavy-snow'), met: 4, occasion: 'sport' }, 'rain_trousers', 'chinos jeans shorts'],
  ['a windy street', 'anna', { weather: weather(15, 'windy', 12, 60), met: 1.2, occasion: 'casual', plan: 'outdoor' }, 'trench_coat|leather_jacket|rain_jacket|wool_coat', 'long_johns thermal_top down_jacket hat'],
  ['tights with a skirt', 'anna', { weather: weather(3, 'cloudy'), met: 1.8, occasion: 'work', plan: 'outdoor', must: ['skirt_heavy'] }, 'tights', 'long_johns'],
  ['tights with a dress in a room', 'anna', { weather: weather(3, 'cloudy'), met: 1.4, occasion: 'date', must: ['long_sleeve_dress'] }, 'tights', 'long_johns'],
  ['no tights in the warmth', 'anna', { weather: weather(24, 'clear'), met: 1.4, occasion: 'work', must: ['dress'] }, 'dress', 'tights'],
  ['long johns with trousers, no tights', 'anna', { weather: weather(-8, 'cloudy'), met: 1.2, occasion: 'casual', plan: 'outdoor', must: ['jeans'] }, 'long_johns', 'tights'],
  // Coats, hats and wind.
  ['a coat to take in the wind', 'ben', { weather: weather(15, 'windy', 12, 60), met: 1.2, occasion: 'casual' }, 'shirt|sweater|polo_shirt|t_shirt|hoodie|long_sleeve_tee', 'parka', { shell: 'bomber_jacket|windbreaker|rain_jacket|wool_coat' }],
  ['a bench on a calm day', 'ben', { weather: weather(15, 'cloudy', 2), met: 1.1, occasion: 'casual', plan: 'outdoor' }, 'jeans|chinos|joggers', 'scarf hat beanie gloves'],
  ['a date in cold rain', 'diva', { weather: weather(4, 'rain', 8), met: 1.6, occasion: 'date', plan: 'outdoor' }, 'rain_jacket|trench_coat', 'wool_coat'],
  ['a brisk walk in heavy snow', 'amira', { weather: weather(-2, 'heavy-snow', 5), met: 4.5, occasion: 'outdoor' }, 'down_jacket|wool_coat', 'sherwani cape_poncho'],
  ['a theatre in the cold', 'ben', { weather: weather(3, 'cloudy'), met: 1.4, occasion: 'date', plan: 'outdoor' }, 'wool_coat', 'parka bomber_jacket'],
  // Dressed for what.
  ['a bank in a folk dress', 'amira', { weather: weather(26, 'clear'), met: 1.4, occasion: 'business_formal' }, 'blouse|maxi_dress|abaya|thobe|shalwar_kameez', 'hanfu_qipao'],
  ['a train in November', 'amira', { weather: weather(12, 'cloudy'), met: 1.6, occasion: 'travel' }, 'boots|sneakers', 'saree_traditional'],
  ['an interview in a tie', 'ben', { weather: weather(15, 'cloudy'), met: 1.4, occasion: 'business_formal' }, 'tie|tie-2; dress_shirt|shirt; blazer|suit_set; dress_shoes', 'polo_shirt'],
  ['a hot day at home', 'ben', { weather: weather(30, 'clear'), met: 1.1, occasion: 'home' }, 't_shirt|polo_shirt; shorts', 'jeans long_sleeve_tee shirt'],
  // Bare legs, rides and feasts.
  ['an office in the cold without tights', 'clara', { weather: weather(0, 'cloudy'), met: 1.6, occasion: 'work' }, 'jeans|dress_trousers|maxi_skirt', 'long_sleeve_dress skirt_heavy dress'],
  ['a walk in the cold without tights', 'clara', { weather: weather(4, 'cloudy'), met: 1.6, occasion: 'casual' }, 'jeans|dress_trousers|maxi_skirt', 'long_sleeve_dress skirt_heavy dress'],
  ['a date in the snow without tights', 'clara', { weather: weather(-1, 'heavy-snow', 8), met: 1.4, occasion: 'date' }, 'jeans|dress_trousers', 'long_sleeve_dress skirt_heavy dress'],
  ['a funeral in heavy rain without tights', 'clara', { weather: weather(7, 'heavy-rain', 6), met: 1.4, occasion: 'ceremony' }, 'dress_trousers; blazer', 'long_sleeve_dress skirt_heavy dress'],
  ['sledging', 'pupil', { weather: weather(-2, 'snow', 2), met: 4, occasion: 'outdoor' }, 'ski_trousers; rain_jacket|parka; winter_boots; gloves', 'jeans joggers'],
  ['to work by bicycle in frost', 'rider', { weather: weather(-2, 'clear', 4), met: 5, occasion: 'work', plan: 'outdoor' }, 'rain_jacket|wool_coat; beanie', 'sneakers'],
  ['to work by bicycle in rain', 'rider', { weather: weather(9, 'rain', 6), met: 5, occasion: 'work', plan: 'outdoor' }, 'rain_jacket; rain_trousers; boots', 'dress_shoes'],
  ['to work by bicycle in spring', 'clara', { weather: weather(16, 'clear'), met: 5, occasion: 'work', plan: 'outdoor' }, 'jeans|dress_trousers; sneakers|boots', 'light_dress flats'],
  ['a bank in hard frost on foot', 'rider', { weather: weather(-25, 'clear'), met: 2.6, occasion: 'business_formal', plan: 'outdoor' }, 'dress_shirt|shirt; dress_trousers|suit_set', 't_shirt jeans'],
  ['a grave in the snow', 'rider', { weather: weather(-1, 'heavy-snow', 8), met: 2.6, occasion: 'ceremony', plan: 'outdoor' }, 'thermal_top; long_johns; beanie; gloves', 'jeans'],
  ['an office in a cold downpour', 'clara', { weather: weather(2, 'heavy-rain', 7), met: 1.6, occasion: 'work' }, 'boots', 'flats', { shell: 'rain_jacket' }],
  ['a party in a thunderstorm', 'pupil', { weather: weather(15, 'thunderstorm'), met: 2, occasion: 'party' }, 'jeans|chinos', 'sandals', { shell: 'rain_jacket' }],
  ['a run in warm drizzle', 'hiker', { weather: weather(16, 'drizzle', 3, 80), met: 5, occasion: 'sport' }, 't_shirt|long_sleeve_tee', 'rain_jacket'],
  ['a wedding without dress shoes', 'pupil', { weather: weather(20, 'clear'), met: 1.4, occasion: 'ceremony', exclude: ['flats', 'dress'] }, 'sneakers; blazer; shirt', 'sandals', { breaks: 'ceremony-casual' }],
  ['a feast in a kaftan', 'clara', { weather: weather(16, 'partly cloudy', 2), met: 1.6, occasion: 'party', exclude: ['dress', 'light_dress', 'blazer'] }, 'heels|flats|boots', 'cardigan sweater'],
  ['an evening at home', 'pupil', { weather: weather(6, 'cloudy'), met: 1.2, occasion: 'home', indoorTempC: 21 }, 't_shirt|long_sleeve_tee|sweater|hoodie', 'shirt'],
  ['a walk in drizzle', 'granny', { weather: weather(13, 'drizzle', 3, 85), met: 2, occasion: 'casual', plan: 'outdoor' }, 'trousers; rain_jacket|trench_coat', 'skirt_heavy light_dress'],
  ['a hike in trekking clothes', 'trekker', { weather: weather(10, 'cloudy'), met: 4, occasion: 'outdoor' }, 'trousers; long_sleeve_tee; boots', 'jeans t_shirt hoodie sneakers'],
  ['a cool hike at an easy pace', 'trekker', { weather: weather(5, 'cloudy'), met: 3, occasion: 'outdoor' }, 'trousers; boots; fleece_jacket|rain_jacket', 'jeans hoodie sneakers'],
  ['a tee beneath flannel', 'woodman', { weather: weather(10, 'cloudy'), met: 1.6, occasion: 'casual', plan: 'outdoor' }, 'flannel_shirt; t_shirt', 'shirt'],
  ['a wedding at 24 °C', 'guest', { weather: weather(24, 'clear'), met: 1.4, occasion: 'ceremony', plan: 'outdoor' }, 'light_dress', 'long_sleeve_dress'],
  // Work that is labour.
  ['a warehouse', 'builder', { weather: weather(5, 'cloudy'), met: 3, occasion: 'work', indoorTempC: 15 }, 'jeans|cargo_pants; sneakers|boots; t_shirt|long_sleeve_tee', 'dress_trousers dress_shoes sweater dress_shirt blazer shorts'],
  ['a roof in the heat', 'builder', { weather: weather(38, 'sunny', 2, 40), met: 4, occasion: 'work', plan: 'outdoor' }, 'shorts|cargo_pants; t_shirt|shirt; hat', 'jeans dress_trousers dress_shoes', { first: 'danger.heat' }],
  ['a site in drizzle', 'builder', { weather: weather(5, 'Sprühregen', 4, 92), met: 4, occasion: 'work', plan: 'outdoor' }, 'boots', 'sneakers dress_shoes'],
  ['a desk in a cold workshop', 'rider', { weather: weather(5, 'cloudy'), met: 1.3, occasion: 'work', indoorTempC: 15 }, 'thermal_top; long_johns; sweater|suit_set', 't_shirt'],
  ['the way to a warehouse', 'builder', { weather: weather(0, 'cloudy'), met: 3, occasion: 'work', indoorTempC: 10 }, 'jeans|cargo_pants', 'dress_trousers', { shell: 'parka' }],
  ['a roof in the frost', 'builder', { weather: weather(-12, 'cloudy', 7), met: 3, occasion: 'work', plan: 'outdoor' }, 'winter_boots; parka; beanie; gloves', 'dress_trousers dress_shoes boots sneakers blazer shorts'],
  // What is fine, and what is not.
  ['a gown at a winter party', 'anna', { weather: weather(-3, 'clear', 2), met: 1.4, occasion: 'party', must: ['evening_dress'] }, 'heels|flats', 'boots sneakers'],
  ['a funeral in February', 'dandy', { weather: weather(4, 'cloudy'), met: 1.4, occasion: 'ceremony' }, 'suit_set; dress_shirt; dress_shoes', 'blazer shirt'],
  ['a wedding of a daughter', 'indian', { weather: weather(24, 'clear', 2), met: 1.4, occasion: 'ceremony' }, 'saree_traditional; heels', 'shalwar_kameez'],
  ['a ball in the snow', 'anna', { weather: weather(-6, 'snow', 4), met: 1.4, occasion: 'party', must: ['evening_dress'] }, 'heels|flats; tights', 'boots winter_boots'],
  ['a party in the snow', 'anna', { weather: weather(-6, 'snow', 4), met: 1.4, occasion: 'party', exclude: ['evening_dress'] }, 'boots|heels|flats|winter_boots', 'hoodie'],
  ['a church in hard frost', 'pensioner', { weather: weather(-22, 'clear', 4), met: 1.3, occasion: 'smart_casual' }, 'winter_boots', 'sneakers'],
  ['a tie that must be worn at work', 'clerk', { weather: weather(15, 'cloudy'), met: 1.4, occasion: 'work', must: ['tie'] }, 'tie; blazer; dress_shirt|shirt; dress_shoes', 'sweater'],
  ['a suit that must be worn in the cold', 'oldman', { weather: weather(3, 'fog'), met: 2, occasion: 'work', plan: 'outdoor', must: ['suit_set'] }, 'shirt|dress_shirt', 'sweater thick_sweater'],
  ['a typhoon on the way to the ward', 'ward', { weather: weather(25, 'heavy-rain', 13, 92), met: 2.2, occasion: 'work' }, 'jeans|dress_trousers', 'maxi_dress', { shell: 'rain_jacket' }],
  ['a trail in the rain', 'sailor', { weather: weather(8, 'rain', 6), met: 3, occasion: 'outdoor' }, 'rain_jacket; rain_trousers', 'shorts sandals'],
  ['a registry wedding', 'bride', { weather: weather(23, 'clear'), met: 1.4, occasion: 'ceremony' }, 'dress; heels', 'sweater'],
  ['an evening of tango', 'clerk', { weather: weather(10, 'clear'), met: 3, occasion: 'party' }, 'dress_shirt|shirt', 't_shirt', { shell: 'trench_coat|wool_coat' }],
  ['a walk in heavy rain', 'boy', { weather: weather(7, 'heavy-rain', 6, 92), met: 2.6, occasion: 'casual' }, 'rain_jacket; sweater|hoodie|polo_shirt', 'shorts'],
  ['a winter journey on foot', 'ben', { weather: weather(-12, 'snow', 6), met: 2.6, occasion: 'travel' }, 'parka|wool_coat|down_jacket; beanie', 't_shirt shorts'],
  ['a ball in cold rain', 'anna', { weather: weather(7, 'heavy-rain', 6), met: 1.4, occasion: 'party', must: ['evening_dress'] }, 'heels|flats', 'dress_shoes boots'],
  ['a dog in drizzle', 'diva', { weather: weather(6, 'drizzle'), met: 2.4, occasion: 'casual', plan: 'outdoor' }, 'rain_jacket|trench_coat', 'leather_jacket denim_jacket'],
  ['to work in a warm thunderstorm', 'clerk', { weather: weather(26, 'thunderstorm', 5, 85), met: 1.6, occasion: 'work' }, 'chinos|dress_trousers|jeans', 'wool_coat', { shell: 'trench_coat' }],
  ['a ward', 'diva', { weather: weather(18, 'cloudy'), met: 2.2, occasion: 'work', indoorTempC: 24 }, 'sneakers|flats|boots', 'heels'],
  ['a rest in a gale', 'ben', { weather: weather(15, 'windy', 12, 60), met: 1.6, occasion: 'outdoor' }, 'jeans|chinos|joggers', 'ski_trousers'],
  ['a windy beach', 'anna', { weather: weather(15, 'windy', 12, 60), met: 1, occasion: 'beach' }, 'sandals|sneakers|sports_shoes|boots', 'flats heels'],
  ['a walk in deep snow', 'anna', { weather: weather(-1, 'heavy-snow', 8), met: 2, occasion: 'outdoor' }, 'winter_boots', 'boots'],
  ['a village fair', 'bavarian', { weather: weather(19, 'sunny'), met: 1.6, occasion: 'party' }, 'dirndl; heels', 'trousers'],
  ['a thick pullover at the office', 'oldman', { weather: weather(18, 'light rain'), met: 1.4, occasion: 'work' }, 'shirt|dress_shirt', 'thick_sweater'],
  ['a waistcoat on a date', 'dandy', { weather: weather(16, 'cloudy'), met: 1.4, occasion: 'date', must: ['waistcoat'] }, 'waistcoat; dress_shoes|boots', 'sneakers'],
  ['sandals that must be worn in the cold', 'dandy', { weather: weather(3, 'cloudy'), met: 1.4, occasion: 'casual', plan: 'outdoor', must: ['sandals'] }, 'sandals; sweater; wool_coat', 't_shirt', { breaks: 'sandals-cold' }],
  ['a coat to take to the office', 'office', { weather: weather(14, 'cloudy'), met: 1.8, occasion: 'work' }, 'boots|flats|sneakers', 'heels', { shell: 'trench_coat' }],
  ['skiing in a parka', 'skier', { weather: weather(-7, 'snow', 4), met: 5, occasion: 'sport' }, 'parka; ski_trousers; winter_boots; gloves', 'hoodie leggings sneakers'],
  ['errands in the snow', 'amira', { weather: weather(0, 'snow'), met: 1.6, occasion: 'casual', plan: 'outdoor' }, 'jeans|trousers|chinos', 'abaya maxi_dress saree_traditional maxi_skirt'],
  ['winter boots for a cold evening', 'ben', { weather: weather(-12, 'snow', 6), met: 1.6, occasion: 'smart_casual', plan: 'outdoor' }, 'winter_boots', 'boots'],
];

const closet = (name: keyof typeof CLOSETS, more: Record<string, object> = {}) =>
  readCloset(CLOSETS[name], more);

/** The categories of what is worn. */
const kindsOf = (ids: readonly string[]) => ids.map((id) => id.replace(/-\d+$/, ''));
const missing = (worn: string, kinds: readonly string[]) =>
  worn.split('; ').filter((group) => !group.split('|').some((kind) => kinds.includes(kind)));
const unwanted = (not: string, kinds: readonly string[]) =>
  not.split(' ').filter((kind) => kinds.includes(kind));

test.each(REQUESTS)('%s', (_, name, request, worn, not, { first, shell, wash, breaks } = {}) => {
  const items = closet(name, wash ? { [wash]: { available: false } } : {});
  const { outfit, hard } = firstOutfit({ request: { ...request, items } }, 3);
  const kinds = kindsOf(outfit?.itemIds ?? []);
  expect(hard, kinds.join(' ')).toEqual(breaks ? [breaks] : []);
  expect([missing(worn, kinds), unwanted(not, kinds)], kinds.join(' ')).toEqual([[], []]);
  if (first) expect(outfit?.explanation[0]?.code).toBe(first);
  if (shell) expect(shell.split('|')).toContain(outfit?.shell?.items[0]?.itemId);
});

/** What is in none of the first outfits, nor in a shell, though it is owned. */
// biome-ignore format: a table reads best aligned
const NEVER: readonly [string, keyof typeof CLOSETS, object, string][] = [
  ['sandals on a long walk', 'tropic', { weather: weather(25, 'clear', 3, 50), met: 3.5, occasion: 'outdoor' }, 'sandals'],
  ['sandals and heels for sightseeing', 'anna', { weather: weather(24, 'clear', 3, 50), met: 3, occasion: 'casual', plan: 'outdoor' }, 'sandals heels'],
  ['sandals in a warm shower', 'boy', { weather: weather(25, 'rain'), met: 1.8, occasion: 'casual', plan: 'outdoor' }, 'sandals'],
  ['sneakers in the snow', 'ben', { weather: weather(1, 'snow', 1), met: 1.4, occasion: 'date' }, 'sneakers sports_shoes'],
  ['shorts in the gym on a cool day', 'anna', { weather: weather(12, 'cloudy'), met: 4, occasion: 'sport' }, 'shorts'],
  ['shorts for a walk in the wind', 'anna', { weather: weather(15, 'windy', 12, 60), met: 3.5, occasion: 'outdoor' }, 'shorts'],
  ['wet sneakers and flats in the cold', 'anna', { weather: weather(8, 'rain'), met: 1.6, occasion: 'work' }, 'sneakers sports_shoes flats heels'],
  ['rain trousers where there are joggers', 'runner', { weather: weather(8, 'rain'), met: 3, occasion: 'sport' }, 'rain_trousers'],
  ['sandals at a wedding', 'diva', { weather: weather(19, 'clear'), met: 1.4, occasion: 'ceremony' }, 'sandals'],
  ['thick socks on a mild day', 'anna', { weather: weather(15, 'cloudy'), met: 1.2, occasion: 'casual', plan: 'outdoor' }, 'socks_thick'],
  ['a brimmed hat in a gale', 'anna', { weather: weather(3, 'windy', 14), met: 1.8, occasion: 'casual', plan: 'outdoor' }, 'hat'],
  ['a brimmed hat for a run', 'anna', { weather: weather(-3, 'clear'), met: 6, occasion: 'sport' }, 'hat'],
  ['a light skirt in a gale', 'anna', { weather: weather(18, 'windy', 14), met: 2.6, occasion: 'casual', plan: 'outdoor' }, 'skirt_light light_dress'],
  ['a gown for a date in the heat', 'anna', { weather: weather(30, 'clear', 2, 50), met: 1.4, occasion: 'date' }, 'evening_dress'],
  ['heels for a day on foot', 'anna', { weather: weather(18, 'cloudy'), met: 2.5, occasion: 'work' }, 'heels'],
  ['a cocktail coat of down', 'ben', { weather: weather(6, 'cloudy'), met: 1.4, occasion: 'party' }, 'parka'],
  ['ordinary boots in the hardest frost', 'ben', { weather: weather(-25, 'clear'), met: 1.4, occasion: 'party', plan: 'outdoor' }, 'boots'],
  ['thermals on a mild walk', 'anna', { weather: weather(9, 'windy', 12), met: 1.8, occasion: 'casual', plan: 'outdoor' }, 'thermal_top long_johns'],
  ['thermals on a mild bench', 'anna', { weather: weather(15, 'windy', 12), met: 1, occasion: 'casual', plan: 'outdoor' }, 'thermal_top long_johns'],
  ['a parka in a mild wind', 'ben', { weather: weather(15, 'windy', 12), met: 1.2, occasion: 'casual', plan: 'outdoor' }, 'parka'],
  ['a parka in a mild rain', 'ben', { weather: weather(14, 'rain'), met: 1.2, occasion: 'casual', plan: 'outdoor' }, 'parka'],
  ['a brimmed hat in the frost', 'anna', { weather: weather(-5, 'snow'), met: 1.8, occasion: 'casual', plan: 'outdoor' }, 'hat'],
  ['a wool coat on the beach', 'ben', { weather: weather(10, 'windy', 8), met: 1.4, occasion: 'beach' }, 'wool_coat'],
  ['a cape at the bank', 'amira', { weather: weather(12, 'cloudy'), met: 1.4, occasion: 'business_formal' }, 'cape_poncho'],
  ['a cape in the snow', 'amira', { weather: weather(-8, 'snow'), met: 1.4, occasion: 'work' }, 'cape_poncho'],
  ['sneakers for a walk in cold fog', 'anna', { weather: weather(4, 'fog'), met: 2.6, occasion: 'outdoor' }, 'sneakers sports_shoes'],
  ['dress shoes in the rain', 'rider', { weather: weather(9, 'rain'), met: 1.6, occasion: 'work' }, 'dress_shoes'],
  ['sneakers for a walk in frost', 'ben', { weather: weather(-3, 'clear', 2), met: 2, occasion: 'casual', plan: 'outdoor' }, 'sneakers sports_shoes'],
  ['thermals in a mild rain', 'anna', { weather: weather(12, 'rain', 4), met: 1.2, occasion: 'casual', plan: 'outdoor' }, 'thermal_top long_johns'],
  ['down in sleet', 'anna', { weather: weather(2, 'sleet', 4), met: 1.6, occasion: 'school' }, 'down_jacket'],
  ['a sherwani as a coat', 'amira', { weather: weather(8, 'cloudy'), met: 1.4, occasion: 'travel' }, 'sherwani'],
];

test.each(NEVER)('never %s', (_, name, request, not) => {
  const { found } = firstOutfit({ request: { ...request, items: closet(name) } }, 20);
  expect(found.outfits.length).toBeGreaterThan(3);
  const left = found.diagnostics.flatMap(({ itemIds = [] }) => itemIds);
  expect(left).toEqual(expect.arrayContaining(not.split(' ')));
  const offered = found.outfits.flatMap(({ itemIds, shell }) => [
    ...itemIds,
    ...(shell?.items.map(({ itemId }) => itemId) ?? []),
  ]);
  expect(unwanted(not, kindsOf(offered))).toEqual([]);
});

test.each([
  ['turtleneck-collar', 'turtleneck', 'blouse', 8],
  ['short-over-tailored', 'leather_jacket', 'blazer', 12],
  ['long-top-hood', 'kurta', 'hoodie', 12],
  ['robe-on-robe', 'kimono_duster', 'abaya', 16],
  ['folk-heels', 'thobe', 'heels', 20],
  ['folk-oxfords', 'kaftan', 'dress_shoes', 20],
  ['folk-jacket', 'blazer', 'hanfu_qipao', 16],
  ['folk-shoes', 'kaftan', 'sneakers', 20],
  ['sherwani-over', 'sherwani', 'suit_set', 12],
  ['drape-wind', 'cape_poncho', 'jeans', 16],
])('%s is said of what must be worn', (rule, one, other, tempC) => {
  const items = readCloset('t_shirt blouse jeans boots'.replace(/\w+/g, '$&#8c8c8c')).concat(
    readCloset(`${one}#3d4145 ${other}#3d4145`).filter(({ id }) => !/^(blouse|jeans)$/.test(id)),
  );
  const day = {
    weather: weather(tempC, 'windy', 11),
    met: 1.6,
    occasion: 'party',
    plan: 'outdoor',
  };
  const broken = (must: string[]) => firstOutfit({ request: { ...day, items, must } });
  const { soft, hard } = broken([one, other]);
  expect([...soft, ...hard]).toContain(rule);
});

test('what is called denim or linen is taken for it, though no material is given', () => {
  const named = (more: Record<string, object>) => closet('anna', more);
  const run = { weather: weather(15, 'cloudy'), met: 6, occasion: 'sport' };
  expect(worn({ ...run, items: named({}) })).toContain('shorts');
  expect(worn({ ...run, items: named({ shorts: { name: 'Denim shorts' } }) })).not.toContain(
    'shorts',
  );
  const rain = { weather: weather(16, 'rain'), met: 1.4, occasion: 'work', must: ['sweater'] };
  expect(worn({ ...rain, items: named({}) }, 3)).toContain('chinos');
  expect(worn({ ...rain, items: named({ chinos: { name: 'Leinenhose' } }) }, 3)).not.toContain(
    'chinos',
  );
});

test('a scarf too warm for the day covers the head if nothing else does', () => {
  const coverage = ['head', 'arms', 'legs'];
  const day = {
    weather: weather(20, 'clear'),
    met: 2,
    occasion: 'travel',
    plan: 'outdoor',
    coverage,
  };
  expect(worn({ ...day, items: closet('mother') })).toContain('scarf');
  const cap = readCloset('cap#161616');
  expect(worn({ ...day, items: [...closet('mother'), ...cap] })).not.toContain('scarf');
});

/** Two garments of one category, of which the day asks for the second. */
// biome-ignore format: a table reads best aligned
test.each([
  ['a thin scarf over the head', 'scarf#161616:acrylic scarf#d9c7a3:viscose', { weather: weather(20, 'clear'), occasion: 'party', coverage: ['head'] }],
  ['a tee of polyester in the gym', 't_shirt#ffffff:cotton t_shirt#161616:polyester', { weather: weather(5, 'cloudy'), met: 5, occasion: 'sport', indoorTempC: 20 }],
  ['shorts of cotton in town', 'shorts#161616:polyester shorts#8a7f4e:cotton', { weather: weather(27, 'clear'), occasion: 'casual', exclude: ['jeans'] }],
  ['thin socks at the office', 'socks_thick#8c8c8c socks_thin#161616', { weather: weather(9, 'cloudy'), occasion: 'work', indoorTempC: 24, exclude: ['flats'] }],
  ['boots of leather on a dry trail', 'boots#2d5a3d:rubber boots#6b4226:leather', { weather: weather(5, 'sunny'), met: 4, occasion: 'outdoor' }],
  ['a tee of cotton at a barbecue', 't_shirt#c81e2b:polyester t_shirt#ffffff:cotton', { weather: weather(21, 'sunny'), occasion: 'casual' }],
  ['a blouse of cotton for school', 'blouse#e8d8c8:silk blouse#ffffff:cotton', { weather: weather(27, 'clear'), occasion: 'school', exclude: ['t_shirt'] }],
  ['dark sneakers in drizzle', 'sneakers#f7f7f5 sneakers#161616', { weather: weather(9, 'drizzle'), occasion: 'casual', exclude: ['flats'] }],
  ['dark boots on a wet trail', 'boots#ffffff:leather boots#6b4226:leather', { weather: weather(11, 'rain'), met: 3, occasion: 'outdoor' }],
])('%s', (_, two, request) => {
  const own = readCloset(two);
  const base = readCloset('t_shirt#8c8c8c jeans#2b3f63 leggings#161616 rain_jacket#2d5a3d sneakers#f7f7f5 flats#161616');
  const items = [...own, ...base.filter(({ category }) => category !== own[0]?.category)];
  const ids = worn({ met: 1.4, ...request, items });
  expect(ids).toContain(own[1]!.id);
  expect(ids).not.toContain(own[0]!.id);
});

test('socks are worn in shoes, and none in sandals', () => {
  const items = readCloset('t_shirt#8c8c8c jeans#2b3f63 socks_thin#161616');
  const day = { weather: weather(24, 'clear'), met: 1.6, occasion: 'casual' };
  const withShoes = (shoes: string) =>
    worn({ ...day, items: [...items, ...readCloset(`${shoes}#161616`)] });
  expect(withShoes('sneakers')).toContain('socks_thin');
  expect(withShoes('sandals')).not.toContain('socks_thin');
  const home = { ...day, weather: weather(28, 'clear'), occasion: 'home' };
  expect(worn({ ...home, items: [...items, ...readCloset('slippers#161616')] })).toEqual([
    't_shirt',
    'jeans',
    'slippers',
  ]);
});

test('who walks is outside, unless the room is known', () => {
  const day = { weather: weather(9, 'cloudy'), occasion: 'casual', items: closet('ben') };
  const placeOf = (more: object) => firstOutfit({ request: { ...day, ...more } }).found;
  expect(placeOf({ met: 2 })).toMatchObject({ plan: 'indoor', place: { why: 'default' } });
  expect(placeOf({ met: 2.6 })).toMatchObject({ plan: 'outdoor', place: { why: 'activity' } });
  const known = { plan: 'indoor', place: { why: 'indoor-temperature' } };
  expect(placeOf({ met: 2.6, indoorTempC: 21 })).toMatchObject(known);
});

test('a home is as hot as the day for warmth, too', () => {
  const day = { weather: weather(34, 'clear', 2, 50), met: 1.2, occasion: 'home' };
  const codes = firstOutfit({ request: { ...day, items: closet('anna') } }).outfit?.explanation;
  expect(codes?.map(({ code }) => code)).not.toContain('thermal.cool');
  expect(worn({ ...day, items: closet('anna') })).toContain('shorts');
});

test('what does not go together is named in full', () => {
  const request = {
    items: readCloset('evening_dress#161616 winter_boots#161616 wool_coat#161616'),
    weather: weather(-6, 'snow'),
    met: 1.4,
    occasion: 'party',
  };
  const texts = firstOutfit({ request }).outfit?.explanation.map(({ text }) => text);
  expect(texts?.join()).toContain('Evening / formal gown and Winter / snow boots');
});

test('rubber sandals and suede with a membrane stand the rain', () => {
  const left = (text: string, tempC: number) =>
    firstOutfit({
      request: {
        items: readCloset(`t_shirt#8c8c8c jeans#2b3f63 sneakers#f7f7f5 ${text}`),
        weather: weather(tempC, 'rain'),
        met: 1.6,
        occasion: 'casual',
      },
    }).found.diagnostics.flatMap(({ itemIds = [] }) => itemIds);
  expect(left('sandals#161616:leather', 27)).toContain('sandals');
  expect(left('sandals#161616:rubber', 27)).not.toContain('sandals');
  const [suede] = readCloset('boots#6b4226:suede');
  const both = { ...suede, materials: [{ id: 'suede' }, { id: 'membrane' }] };
  const broken = (boots: object) =>
    firstOutfit({
      request: {
        items: [...readCloset('t_shirt#8c8c8c jeans#2b3f63'), boots],
        weather: weather(9, 'rain'),
        met: 1.6,
        occasion: 'casual',
      },
    }).hard;
  expect(broken(suede!)).toContain('suede-wet');
  expect(broken(both)).toEqual([]);
});

test('over a scarf that covers the head a beanie is worn, no cap', () => {
  const items = readCloset('jeans#161616 blouse#ffffff wool_coat#161616 boots#161616 scarf#6b2737');
  const day = { weather: weather(-4, 'clear'), met: 1.6, occasion: 'casual', plan: 'outdoor' };
  const withHat = (hat: string, more = {}) =>
    worn({ ...day, ...more, items: [...items, ...readCloset(`${hat}#161616`)] });
  const coverage = ['head'];
  expect(withHat('cap')).toContain('cap');
  expect(withHat('cap', { coverage, must: ['scarf'] })).not.toContain('cap');
  expect(withHat('beanie', { coverage, must: ['scarf'] })).toContain('beanie');
});

test('a linen suit is right for a wedding in the heat, and not on a cool day', () => {
  const left = (tempC: number) =>
    firstOutfit({
      request: {
        items: closet('rider'),
        weather: weather(tempC, 'clear', 2, 50),
        met: 1.4,
        occasion: 'ceremony',
      },
    }).found.diagnostics.flatMap(({ itemIds = [] }) => itemIds);
  expect(left(28)).not.toContain('suit_set');
  expect(left(20)).toContain('suit_set');
});

test('tights are worn though the garments API says that they are no outfit by themselves', () => {
  const items = closet('anna', { tights: { lookEligible: false } });
  const request = { items, weather: weather(3, 'cloudy'), occasion: 'work', must: ['skirt_heavy'] };
  expect(worn({ ...request, met: 1.4 })).toContain('tights');
});

/** What is worn first, or in the first few outfits. */
const worn = (request: object, outfits = 1) =>
  firstOutfit({ request }, 3)
    .found.outfits.slice(0, outfits)
    .flatMap(({ itemIds }) => itemIds);

describe('weather', () => {
  const rider = { met: 6, occasion: 'sport' };
  test.each([8, 10, 14])(
    'a cyclist in drizzle at %d °C has a jacket that keeps it out',
    (tempC) => {
      const request = {
        ...rider,
        items: closet('hiker'),
        weather: weather(tempC, 'drizzle', 3, 92),
      };
      expect(worn(request)).toContain('rain_jacket');
      const none = { ...request, exclude: ['rain_jacket'] };
      expect(unwanted('puffer_vest down_jacket fleece_jacket', worn(none))).toEqual([]);
    },
  );

  test('in the heat one rather gets wet', () => {
    const request = { ...rider, items: closet('hiker'), weather: weather(30, 'rain') };
    expect(worn(request)).not.toContain('rain_jacket');
  });

  test('a trench coat is for rain; for a storm only if nothing else can be worn', () => {
    const storm = { weather: weather(16, 'thunderstorm', 12), met: 2, plan: 'outdoor' };
    const inStorm = (...more: Parameters<typeof closet>) =>
      worn({ ...storm, items: closet(...more) }, 3);
    expect(inStorm('diva')).not.toContain('trench_coat');
    expect(inStorm('diva', { rain_jacket: { available: false } })).toContain('trench_coat');
    // Too warm today, the parka is no better.
    expect(inStorm('diva', { rain_jacket: { category: 'parka' } })).toContain('trench_coat');
  });

  test('a hat is worn in the frost, and no cap if there is a warmer one', () => {
    const run = { ...rider, items: closet('hiker'), weather: weather(-12, 'clear') };
    expect(worn(run)).toContain('beanie');
    expect(worn({ ...run, exclude: ['beanie'] })).toContain('cap');
  });

  test('where the cold asks for a coat, none is too fine', () => {
    const walk = { weather: weather(6, 'cloudy'), met: 1.3, occasion: 'beach' };
    expect(worn({ ...walk, items: closet('mother') })).toContain('wool_coat');
  });

  test('enough in the wind is not called too little, nor too much called light', () => {
    const codes = (request: object) =>
      firstOutfit({ request }).outfit?.explanation.map(({ code }) => code);
    const hike = { weather: weather(19, 'windy', 14, 30), met: 4, occasion: 'outdoor' };
    expect(codes({ ...hike, items: closet('hiker') })).toContain('thermal.match');
    const must = ['hoodie', 'joggers'];
    const run = { ...rider, items: closet('yogi'), weather: weather(4, 'cloudy'), must };
    expect(codes(run)).toContain('thermal.warm');
  });

  test('rain on jeans is said, and none of the frost; a mild day misses no winter coat', () => {
    const explained = (request: object) =>
      firstOutfit({ request: { ...request, plan: 'outdoor' } }).outfit?.explanation ?? [];
    const codes = (request: object) => explained(request).map(({ code }) => code);
    const storm = { items: closet('kid'), weather: weather(11, 'heavy-rain'), met: 3 };
    expect(codes(storm)).toContain('rain.exposed');
    expect(codes({ ...storm, weather: weather(-9, 'snow') }).join()).not.toContain('rain');
    const windy = { items: closet('tiny'), weather: weather(15, 'windy', 12), met: 1.2 };
    const text = explained(windy).find(({ code }) => code === 'thermal.cold')?.text;
    expect(text).toContain('more than the warmth of a sweater is missing');
    const run = { ...rider, items: closet('hiker'), weather: weather(18, 'cloudy') };
    expect(codes(run)).toContain('thermal.match');
    const lesson = { weather: weather(6, 'fog'), met: 1.6, occasion: 'school', indoorTempC: 21 };
    const must = ['fleece_jacket'];
    const inClass = firstOutfit({ request: { ...lesson, must, items: closet('hiker') } });
    expect(inClass.soft).toEqual([]);
  });

  test('no silly coat is put on if there is another', () => {
    const coats = (text: string, request: object) =>
      firstOutfit({ request: { ...request, items: readCloset(text) } }).outfit?.shell?.items.map(
        ({ itemId }) => itemId,
      );
    const base = 'hoodie#161616 t_shirt#161616 jeans#2b3f63 boots#161616';
    const rain = { weather: weather(5, 'rain', 4, 90), met: 1.4, occasion: 'school' };
    expect(coats(`${base} denim_jacket#2b3f63 down_jacket#f5f5f2`, rain)).toEqual(['down_jacket']);
    const snow = { weather: weather(-12, 'snow', 6, 75), met: 2, occasion: 'home' };
    expect(coats(CLOSETS.northman, snow)).toEqual(['parka']);
    const cool = { weather: weather(8, 'cloudy'), met: 1.4, occasion: 'travel' };
    const must = ['hoodie'];
    const festive = `${base} sherwani#c9a227:silk rain_jacket#2f6db3`;
    expect(coats(festive, { ...cool, must })).toEqual(['rain_jacket']);
  });
});

describe('what for', () => {
  test('one skis in no sneakers, in snow or in the frost', () => {
    for (const condition of ['snow', 'clear'])
      expect(
        worn(
          { items: closet('hiker'), weather: weather(-6, condition, 4), met: 4, occasion: 'sport' },
          3,
        ),
      ).not.toContain('sneakers');
  });

  test.each(['work', 'casual', 'travel'])('for %s a base layer is worn under a top', (occasion) => {
    const items = closet('hiker', {
      thermal_top: { layer: 'base' },
      long_sleeve_tee: { clo: 0.1 },
    });
    const request = { items, weather: weather(-10, 'cloudy'), met: 1.4, occasion };
    for (const plan of ['indoor', 'outdoor']) {
      const { found } = firstOutfit({ request: { ...request, plan } }, 10);
      const tops = found.outfits.map(({ slots }) => slots.main);
      expect(tops).not.toContain('thermal_top');
    }
    const run = { items, weather: weather(-2, 'clear'), met: 6, occasion: 'sport' };
    const { found } = firstOutfit({ request: { ...run, must: ['thermal_top'] } });
    expect(found.outfits[0]?.slots.main).toBe('thermal_top');
  });

  test('a turtleneck goes under a sweater, in whatever order they are named, and no flannel shirt over it', () => {
    const must = ['sweater', 'turtleneck'];
    const cold = {
      items: closet('dandy'),
      weather: weather(-6, 'cloudy'),
      met: 1.4,
      occasion: 'casual',
    };
    for (const order of [must, [...must].reverse()]) {
      const { found } = firstOutfit({ request: { ...cold, must: order } });
      expect(found.outfits[0]?.slots).toMatchObject({ main: 'turtleneck', mid: 'sweater' });
    }
    const items = closet('oldman').concat(closet('dandy').filter(({ id }) => id === 'turtleneck'));
    const two = firstOutfit({ request: { ...cold, items, must: ['turtleneck', 'flannel_shirt'] } });
    expect(two.outfit).toBeUndefined();
  });

  test('no fleece over a bikini', () => {
    const items = readCloset('swimwear#c81e2b fleece_jacket#2d5a3d sandals#8b5a2b shorts#22303f');
    const request = { items, weather: weather(21, 'clear', 5, 60), met: 1.2, occasion: 'beach' };
    expect(worn(request)).not.toContain('fleece_jacket');
  });

  test('a home is as hot as the day, unless its temperature is given', () => {
    const home = { items: closet('track'), weather: weather(31, 'clear', 2, 50), occasion: 'home' };
    const clothes = (more: object) => worn({ ...home, met: 1.1, ...more });
    expect(unwanted('tracksuit_set hoodie jeans', clothes({}))).toEqual([]);
    expect(missing('hoodie|tracksuit_set', clothes({ indoorTempC: 20 }))).toEqual([]);
  });

  test('a jacket for a wedding', () => {
    const day = { weather: weather(24, 'sunny'), met: 1.4, occasion: 'ceremony' };
    expect(missing('blazer|suit_set', worn({ ...day, items: closet('dandy') }))).toEqual([]);
  });
});

describe('trips and days', () => {
  const on = (at: number, more: object) => ({
    date: `2026-11-${10 + at}`,
    met: 1.6,
    occasion: 'casual',
    ...more,
  });
  const trip = (name: keyof typeof CLOSETS, days: object[], more: object = {}) => {
    const items = closet(name, name === 'hiker' ? { thermal_top: { layer: 'base' } } : {});
    return computeTrip(model, TripRequest.parse({ items, days, maxItems: 14, ...more }));
  };
  const wornOn = (found: ReturnType<typeof trip>, at: number) =>
    kindsOf(found.days[at]?.outfit?.itemIds ?? []);

  test('a tour of four days with a base layer: always under a top', () => {
    const found = trip(
      'hiker',
      [
        on(0, { weather: weather(8, 'rain', 5, 90), occasion: 'travel' }),
        on(1, { weather: weather(4, 'cloudy'), occasion: 'work' }),
        on(2, { weather: weather(-6, 'snow') }),
        on(3, { weather: weather(10, 'clear'), occasion: 'outdoor' }),
      ],
      { wearsBeforeWash: 2 },
    );
    expect(found.itemIds).toEqual(expect.arrayContaining(['rain_jacket', 'boots', 'thermal_top']));
    for (const { outfit } of found.days) expect(outfit?.slots.main).not.toBe('thermal_top');
  });

  test('a week of skiing', () => {
    const sport = { occasion: 'sport', met: 4 };
    const found = trip(
      'hiker',
      [
        on(0, { weather: weather(-2, 'snow', 3, 90), occasion: 'travel' }),
        on(1, { weather: weather(-8, 'clear', 4), ...sport }),
        on(2, { weather: weather(-5, 'snow', 6, 90), ...sport }),
      ],
      { wearsBeforeWash: 2, maxItems: 16 },
    );
    expect(wornOn(found, 0)).not.toContain('ski_trousers');
    for (const at of [1, 2]) {
      expect(missing('ski_trousers; winter_boots; beanie', wornOn(found, at))).toEqual([]);
      expect(wornOn(found, at)).not.toContain('sneakers');
    }
  });

  test('a wedding weekend', () => {
    const found = trip(
      'dandy',
      [
        on(0, { weather: weather(22, 'clear'), occasion: 'travel', plan: 'indoor' }),
        on(1, { weather: weather(24, 'sunny'), occasion: 'ceremony', plan: 'indoor' }),
        on(2, { weather: weather(21, 'partly cloudy') }),
      ],
      { maxItems: 12 },
    );
    expect(missing('blazer|suit_set; dress_shirt|shirt; dress_shoes', wornOn(found, 1))).toEqual(
      [],
    );
    for (const at of [0, 2])
      expect(unwanted('suit_set tie dress_shoes', wornOn(found, at))).toEqual([]);
  });

  test('in each hour of the frost gloves and a hat, and no flats', () => {
    const { hours } = computeDay(
      model,
      DayRequest.parse({
        items: closet('granny'),
        hours: [
          { weather: weather(-3, 'clear', 4), met: 1.6 },
          { weather: weather(1, 'cloudy'), met: 1.1, place: 'indoor', indoorTempC: 20 },
          { weather: weather(-1, 'cloudy', 4), met: 1.6 },
        ],
      }),
    );
    for (const { wearIds } of [hours[0]!, hours[2]!])
      expect(missing('gloves; hat; boots|winter_boots', wearIds)).toEqual([]);
    expect(unwanted('gloves hat down_jacket wool_coat', hours[1]!.wearIds)).toEqual([]);
  });

  test('no long johns for a cold morning before a mild noon', () => {
    const { outfit } = computeDay(
      model,
      DayRequest.parse({
        items: closet('anna'),
        occasion: 'work',
        hours: [4, 8, 13, 17, 12, 6].map((tempC) => ({
          weather: weather(tempC, 'cloudy'),
          met: 1.6,
        })),
      }),
    );
    expect(unwanted('long_johns thermal_top', outfit?.itemIds ?? [])).toEqual([]);
    expect(missing('wool_coat|trench_coat; beanie|hat|scarf', outfit?.itemIds ?? [])).toEqual([]);
  });

  test('a cap for the sun of the noon, no beanie', () => {
    const { hours } = computeDay(
      model,
      DayRequest.parse({
        items: closet('hiker'),
        hours: [
          { weather: weather(17, 'clear'), met: 2 },
          { weather: weather(26, 'clear', 2), met: 1.6 },
        ],
      }),
    );
    expect(hours[1]!.wearIds).toContain('cap');
    expect(hours[1]!.wearIds).not.toContain('beanie');
  });

  test('fog, sun and rain: the coat is put on and off', () => {
    const { hours } = computeDay(
      model,
      DayRequest.parse({
        items: closet('clerk'),
        occasion: 'work',
        hours: [
          { weather: weather(7, 'fog'), met: 2 },
          { weather: weather(12, 'cloudy'), met: 1.2, place: 'indoor', indoorTempC: 22 },
          { weather: weather(19, 'sunny'), met: 2 },
          { weather: weather(15, 'rain', 5), met: 2 },
        ],
      }),
    );
    const coats = hours.map(({ wearIds }) => wearIds.find((id) => id.endsWith('_coat')));
    expect(coats).toEqual(['trench_coat', undefined, undefined, 'trench_coat']);
  });
});
