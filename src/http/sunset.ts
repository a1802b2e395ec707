/** The planned end of an endpoint. Instants are ISO 8601 UTC. */
export interface Sunset {
  method: string;
  path: string;
  deprecatedAt: string;
  sunsetAt: string;
  /** Where the successor is described. */
  link: string;
}

/** Every endpoint with a planned end. None has one today. */
export const SUNSETS: readonly Sunset[] = [];

/** Headers for a deprecated endpoint: Deprecation (RFC 9745), Sunset (RFC 8594), Link. */
export const sunsetHeaders = ({
  deprecatedAt,
  sunsetAt,
  link,
}: Sunset): Record<string, string> => ({
  deprecation: `@${Math.floor(Date.parse(deprecatedAt) / 1000)}`,
  sunset: new Date(sunsetAt).toUTCString(),
  link: `<${link}>; rel="deprecation"; type="text/html"`,
});
