/** Accessories for the wardrobe of a page: drawn, with the fields that the console stores. */

const svg = (width: number, height: number, drawing: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${drawing}</svg>`;

const BELT = svg(
  400,
  90,
  `<path d="M20 30h330q30 0 30 15t-30 15H20z" fill="#5b3a22"/>
  <rect x="8" y="16" width="54" height="58" rx="10" fill="none" stroke="#b9a36a" stroke-width="10"/>
  <path d="M30 45h40M250 45h6M280 45h6M310 45h6" stroke="#d8c48a" stroke-width="6"/>`,
);

const TIE = svg(
  80,
  400,
  `<path d="M26 4h28l6 34-14 18 26 276-32 60-32-60 26-276-14-18z" fill="#7a1f2e"/>
  <path d="M26 120 56 90M22 200l40-40M18 280l48-48M22 350l44-44" stroke="#d9b9a0" stroke-width="7"/>`,
);

const SUNGLASSES = svg(
  300,
  110,
  `<path d="M14 30h112l-10 52q-6 20-36 20T38 82zM174 30h112l-24 52q-12 20-42 20t-36-20z" fill="#20242c"/>
  <path d="M14 30h272" stroke="#20242c" stroke-width="12"/><path d="M40 46l22-4" stroke="#8fa3bd" stroke-width="7"/>`,
);

const BAG = svg(
  240,
  260,
  `<path d="M70 100q0-84 50-84t50 84" fill="none" stroke="#3b2a1d" stroke-width="14"/>
  <path d="M30 92h180l18 150H12z" fill="#8a5a34"/><path d="M30 92h180l5 42H25z" fill="#764a29"/>
  <rect x="104" y="118" width="32" height="26" rx="5" fill="#d8c48a"/>`,
);

export const ACCESSORIES = [
  { label: 'Leather belt', category: 'belt', drawing: BELT },
  { label: 'Striped tie', category: 'tie', drawing: TIE },
  { label: 'Dark glasses', category: 'sunglasses', drawing: SUNGLASSES },
  { label: 'Brown bag', category: 'bag', drawing: BAG },
].map(({ label, category, drawing }) => ({
  id: `drawn-${category}`,
  label,
  drawing,
  item: { id: `drawn-${category}`, category },
}));
