/** The planned end of an endpoint. Times are ISO 8601 UTC. */
export interface Sunset {
  method: string;
  path: string;
  deprecatedAt: string;
  sunsetAt: string;
  /** The page that describes the successor. */
  link: string;
}

/** Every endpoint with a planned end. There is none today. */
export const SUNSETS: readonly Sunset[] = [];

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
