import { DOCUMENTS } from '../../src/api/openapi.ts';

/** An OpenAPI document of a running server. */
export interface PublishedDocument {
  path: string;
  text: string;
}

/** Fetches every OpenAPI document of a running server, `/openapi.json` first. */
export const fetchDocuments = (url: string): Promise<PublishedDocument[]> =>
  Promise.all(
    Object.values(DOCUMENTS).map(async ({ path }) => {
      const response = await fetch(`${url}${path}`);
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      return { path, text: await response.text() };
    }),
  );
