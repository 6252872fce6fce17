import { type TSchema, Type } from './schema.ts';

/** `T?` in the contract: the key is always present, its value may be null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}
