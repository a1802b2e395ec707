/* Hourly forecasts of two services, as they come. */

/** A response of api.open-meteo.com with these hourly variables, times as ISO 8601; other members are ignored. */
export interface OpenMeteoForecast {
  hourly: OpenMeteoHours;
  /** °C and km/h by default. */
  hourly_units?: OpenMeteoUnits | undefined;
}

/** Values by hour; null is a gap. */
export interface OpenMeteoHours {
  time: string[];
  temperature_2m: (number | null)[];
  relative_humidity_2m?: (number | null)[] | undefined;
  wind_speed_10m: (number | null)[];
  /** Of the World Meteorological Organization. */
  weather_code?: (number | null)[] | undefined;
  wind_gusts_10m?: (number | null)[] | undefined;
  is_day?: (number | null)[] | undefined;
}

export interface OpenMeteoUnits {
  temperature_2m?: string | undefined;
  wind_speed_10m?: string | undefined;
}

/** A response of api.met.no, Locationforecast; other members are ignored. */
export interface MetNorwayForecast {
  properties: MetNorwayProperties;
}

export interface MetNorwayProperties {
  timeseries: MetNorwayStep[];
}

export interface MetNorwayStep {
  /** UTC. */
  time: string;
  data: MetNorwayData;
}

export interface MetNorwayData {
  instant: MetNorwayInstant;
  next_1_hours?: MetNorwayPeriod | undefined;
  next_6_hours?: MetNorwayPeriod | undefined;
}

export interface MetNorwayInstant {
  details: MetNorwayDetails;
}

export interface MetNorwayDetails {
  /** °C. */
  air_temperature?: number | undefined;
  /** Percent. */
  relative_humidity?: number | undefined;
  /** Metres per second. */
  wind_speed?: number | undefined;
  wind_speed_of_gust?: number | undefined;
}

export interface MetNorwayPeriod {
  summary: MetNorwaySummary;
}

export interface MetNorwaySummary {
  symbol_code: string;
}

/** A forecast of one service, and which hours of a day count. */
export interface Forecast {
  openMeteo?: OpenMeteoForecast | undefined;
  metNorway?: MetNorwayForecast | undefined;
  /** Local time of MET Norway: −840 to 840; 0 by default. */
  utcOffsetMinutes?: number | undefined;
  /** 0 to 23; 7 by default. */
  fromHour?: number | undefined;
  /** Exclusive: 1 to 24; 22 by default. */
  toHour?: number | undefined;
}
