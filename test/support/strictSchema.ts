import type { TSchema } from 'typebox';

/** The same schema, but without additional keys. */
export function strictSchema(schema: TSchema): TSchema {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys were only added
  return strict(schema) as TSchema;
}

function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner;
}
