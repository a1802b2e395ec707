import type { Calls } from './calls.ts';
import type { LearnedCategories } from './contract.ts';
import type {
  CallOptions,
  LearnedCategoriesClient,
  PresetsClient,
  RulesClient,
} from './interface.ts';
import { jsonPayload } from './payload.ts';

/** The methods for what your client stores by name. @param member of the list */
function namedClient<Item extends object, Request>(calls: Calls, path: string, member: string) {
  const { get, getList, put, remove } = calls;
  const pathOf = (name: string): string => `${path}/${encodeURIComponent(name)}`;
  return {
    list: (options?: CallOptions) => getList<Item>(path, member, options),
    get: (name: string, options?: CallOptions) => get<Item>(pathOf(name), options),
    put: (name: string, request: Request, options?: CallOptions) =>
      put<Item>(pathOf(name), options, jsonPayload(request)),
    delete: (name: string, options?: CallOptions) => remove(pathOf(name), options).then(() => {}),
  };
}

/** The methods of `client.presets`. */
export const presetsClient = (calls: Calls): PresetsClient =>
  namedClient(calls, '/intake/v1/presets', 'presets');

/** The methods of `client.rules`. */
export const rulesClient = (calls: Calls): RulesClient =>
  namedClient(calls, '/intake/v1/rules', 'rules');

/** The methods of `client.categories`. */
export function categoriesClient({ getList, put, remove }: Calls): LearnedCategoriesClient {
  const path = '/intake/v1/categories';
  const ofOne = (one?: string): string =>
    one === undefined ? path : `${path}?path=${encodeURIComponent(one)}`;
  return {
    list: (options) => getList(path, 'categories', options),
    put: async (categories, options) => {
      const sent = categories.map(({ path: name, counts }) => ({ path: name, counts }));
      const body = jsonPayload({ categories: sent });
      return (await put<LearnedCategories>(path, options, body)).categories;
    },
    forget: (one, options) => remove(ofOne(one), options).then(() => {}),
  };
}
