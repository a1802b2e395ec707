/**
 * Adds a part to those of its kind that operations share, and returns a reference to it. Others of
 * its name are numbered.
 */
export function share(
  kind: 'parameters' | 'responses',
  components: Record<string, object>,
  name: string,
  part: object,
): { $ref: string } {
  const isTaken = (candidate: string): boolean =>
    candidate in components && JSON.stringify(components[candidate]) !== JSON.stringify(part);
  let key = name;
  for (let number = 2; isTaken(key); number++) key = `${name}${number}`;
  components[key] = part;
  return { $ref: `#/components/${kind}/${key}` };
}
