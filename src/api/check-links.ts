import type { LinkRule } from '../platform/links/link-rule.ts';
import { Problem } from '../platform/problem.ts';

/**
 * Rejects links that can never be fetched, before anything is stored.
 * @param links by the JSON Pointer of their field; those that the request does not have are undefined
 * @throws Problem invalid-request with an error for each
 */
export function checkLinks(
  rule: LinkRule,
  links: Readonly<Record<string, string | undefined>>,
): void {
  const errors = Object.entries(links).flatMap(([pointer, link]) => {
    const detail = link === undefined ? undefined : rule(link);
    return detail === undefined ? [] : [{ pointer, detail }];
  });
  const [first] = errors;
  if (!first) return;
  const detail = `The link at ${first.pointer} cannot be fetched: ${first.detail}`;
  throw new Problem('invalid-request', detail, { errors });
}
