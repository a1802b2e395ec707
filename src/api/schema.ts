import { z } from 'zod';

/** An object that the API's documents have under a name. */
export const named = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.object(shape).meta({ id });

/** The same, for a request that may have no other members. */
export const namedRequest = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });

/** A list of objects. */
export const listOf = <Shape extends z.ZodRawShape>(shape: Shape) => z.array(z.object(shape));

/** The links of a response, by their names. */
export const linksNamed = <Name extends string>(...names: Name[]) =>
  z.object(
    Object.fromEntries(names.map((name) => [name, z.string()])) as Record<Name, z.ZodString>,
  );
