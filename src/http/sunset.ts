import { z } from 'zod';
import { readDeclaration } from '../platform/config.ts';
import { Problem } from '../platform/problem.ts';
import type { Route, Sunset } from './route.ts';

const SunsetFile = z.strictObject({
  sunsets: z.array(
    z.strictObject({
      route: z.string(),
      deprecatedAt: z.iso.datetime(),
      sunsetAt: z.iso.datetime(),
      link: z.url({ protocol: /^https?$/ }),
    }),
  ),
});

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

function errorsIn({ route, deprecatedAt, sunsetAt }: Sunset, names: ReadonlySet<string>): string[] {
  if (!names.has(route)) return ['route: there is no such endpoint; /docs lists them'];
  return sunsetAt < deprecatedAt ? ['sunsetAt: is before deprecatedAt'] : [];
}

/**
 * Returns the routes, those with a planned end marked.
 * @param path of the file that `SUNSET_FILE` names: `{"sunsets": [{"route", "deprecatedAt", "sunsetAt", "link"}]}`
 * @throws ConfigError with all errors, by pointer
 */
export function markSunsets(routes: readonly Route[], path: string | undefined): readonly Route[] {
  if (path === undefined) return routes;
  const names = new Set(routes.map(nameOf));
  const { sunsets } = readDeclaration('SUNSET_FILE', path, SunsetFile, ({ sunsets: declared }) =>
    declared.flatMap((sunset, at) =>
      errorsIn(sunset, names).map((error) => `/sunsets/${at}/${error}`),
    ),
  );
  return routes.map((route) => {
    const sunset = sunsets.find((each) => each.route === nameOf(route));
    return sunset ? { ...route, sunset } : route;
  });
}

/** Returns the headers of a deprecated endpoint: Deprecation (RFC 9745), Sunset (RFC 8594), Link. */
export const sunsetHeaders = ({
  deprecatedAt,
  sunsetAt,
  link,
}: Sunset): Record<string, string> => ({
  deprecation: `@${Math.floor(Date.parse(deprecatedAt) / 1000)}`,
  sunset: new Date(sunsetAt).toUTCString(),
  link: `<${link}>; rel="deprecation"; type="text/html"`,
});

/** @throws Problem gone from the end on */
export function checkSunset({ route, sunsetAt, link }: Sunset, nowMillis: number): void {
  if (nowMillis < Date.parse(sunsetAt)) return;
  throw new Problem('gone', `${route} ended on ${sunsetAt.slice(0, 10)}; see ${link}`);
}
