import type { TSchema, Type as TypeBox } from 'typebox';

export type { Static, TObject, TSchema, TUnsafe } from 'typebox';

/**
 * Marks an optional property until its object is built. A symbol, so that it does not become part of the JSON Schema.
 */
const OPTIONAL = Symbol('optional');

type Json = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Json & { readonly [OPTIONAL]?: true }>>;

const make = {
  Array: (items: Json, options?: Json) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Json) => ({ type: 'boolean', ...options }),
  /** Each definition has the name by which `Ref` refers to it. */
  Cyclic: (definitions: Readonly<Record<string, Json>>, name: string) => ({
    $defs: Object.fromEntries(Object.entries(definitions).map(([id, schema]) => [id, { ...schema, $id: id }])),
    $ref: name,
  }),
  Enum: (values: readonly string[], options?: Json) => ({ enum: values, ...options }),
  Integer: (options?: Json) => ({ type: 'integer', ...options }),
  Literal: (value: string | number | boolean) => ({ type: typeof value, const: value }),
  Null: () => ({ type: 'null' }),
  Number: (options?: Json) => ({ type: 'number', ...options }),
  Object(properties: Properties, options?: Json) {
    const required = Object.keys(properties).filter((name) => properties[name]?.[OPTIONAL] !== true);
    return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
  },
  Optional: (schema: Json) => ({ ...schema, [OPTIONAL]: true }),
  Partial(schema: Json) {
    const { required: _, ...rest } = schema;
    return rest;
  },
  Record(names: Json, values: Json) {
    if (!('enum' in names) || !Array.isArray(names.enum))
      return { type: 'object', patternProperties: { '^.*$': values } };
    return make.Object(Object.fromEntries(names.enum.map((name) => [String(name), values])));
  },
  Ref: (name: string) => ({ $ref: name }),
  String: (options?: Json) => ({ type: 'string', ...options }),
  Tuple: (items: readonly Json[]) => ({ type: 'array', additionalItems: false, items, minItems: items.length }),
  Union: (anyOf: readonly Json[]) => ({ anyOf }),
  Unknown: () => ({}),
};

/**
 * Builds the schemas of the contract, as plain JSON Schema. Their types are those of TypeBox, whose own code is not
 * loaded: it would take a quarter of the time until the first request is answered.
 */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test compares every builder with TypeBox
export const Type = make as unknown as Pick<typeof TypeBox, keyof typeof make>;

/** `T?` in the contract: the key is always present, its value may be null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}
