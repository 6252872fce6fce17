import { Type as TypeBox } from 'typebox';
import { Check } from 'typebox/value';
import { expect, test } from 'vitest';
import { Type } from './schema.ts';

/** A schema of every builder with every option in use, made by `builder`. */
function buildAll(builder: typeof Type) {
  const { Array: List, Boolean: Flag, Cyclic, Enum, Integer, Literal, Null, Number: Real } = builder;
  const { Object: Keys, Optional, Partial: AllOptional, Record: Named, Ref, String: Text, Tuple, Union } = builder;
  return {
    list: List(Real(), { minItems: 1, maxItems: 3 }),
    flag: Flag({ description: 'a flag' }),
    tree: Cyclic({ Node: Keys({ name: Text(), children: List(Ref('Node')) }) }, 'Node'),
    choice: Enum(['a', 'b'], { description: 'a choice' }),
    integer: Integer({ minimum: 0, maximum: 9 }),
    literals: Union([Literal('a'), Literal(false), Literal(1), Null()]),
    real: Real({ exclusiveMinimum: 0 }),
    keys: Keys({ a: Optional(Integer({ minimum: 1 })), b: Text() }, { additionalProperties: false }),
    optional: Keys({ a: Optional(Text()) }),
    empty: Keys({}),
    partial: AllOptional(Named(Enum(['x', 'y']), Integer())),
    record: Named(Enum(['x', 'y']), Integer()),
    anything: Named(Text(), builder.Unknown()),
    text: Text({ pattern: '^a', minLength: 1, maxLength: 5 }),
    pair: Tuple([Integer(), Real()]),
  };
}

test('every builder makes the JSON Schema that TypeBox makes', () => {
  expect(JSON.stringify(buildAll(Type))).toBe(JSON.stringify(buildAll(TypeBox)));
});

test.each([
  [{ b: '' }, true],
  [{ a: 1, b: '' }, true],
  [{ a: 0, b: '' }, false],
  [{ a: 1 }, false],
  [{ b: '', c: 1 }, false],
])('TypeBox checks %j against such a schema', (value, isRight) => {
  expect(Check(buildAll(Type).keys, value)).toBe(isRight);
});

test('a tree is checked to its leaves', () => {
  const { tree } = buildAll(Type);
  expect(Check(tree, { name: 'a', children: [{ name: 'b', children: [] }] })).toBe(true);
  expect(Check(tree, { name: 'a', children: [{ name: 1, children: [] }] })).toBe(false);
});
