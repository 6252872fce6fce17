import { type TSchema, Type } from 'typebox';

/** `T?` of the contract: the key is always there, its value may be null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}
