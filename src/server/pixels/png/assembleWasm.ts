/**
 * WebAssembly written as nested expressions, with the few instructions and constructs that the PNG encoder takes. The
 * names of operations are those of the text format.
 */
export type Code = readonly number[];

export type ValueType = 'i32' | 'i64' | 'v128';

/** A parameter or local variable. */
export type Variable = { readonly index: number };

export type FunctionSource<Parameter extends string, Local extends string> = {
  readonly parameters: Readonly<Record<Parameter, ValueType>>;
  readonly locals: Readonly<Record<Local, ValueType>>;
  readonly result?: ValueType;
  readonly body: (variables: Readonly<Record<Parameter | Local, Variable>>) => readonly Code[];
};

export type FunctionBinary = { readonly type: Code; readonly code: Code };

const TYPE: Record<ValueType, number> = { i32: 0x7f, i64: 0x7e, v128: 0x7b };

export function defineFunction<Parameter extends string, Local extends string>({
  parameters,
  locals,
  result,
  body,
}: FunctionSource<Parameter, Local>): FunctionBinary {
  const types = Object.values<ValueType>(parameters);
  const localTypes = Object.values<ValueType>(locals);
  const names = [...Object.keys(parameters), ...Object.keys(locals)];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one variable for each name of the two records
  const variables = Object.fromEntries(names.map((name, index) => [name, { index }])) as Record<
    Parameter | Local,
    Variable
  >;
  const declared = vector(localTypes.map((type) => [1, TYPE[type]]));
  const code = [...declared, ...body(variables).flat(), 0x0b];
  return {
    type: [0x60, ...vector(types.map((type) => [TYPE[type]])), ...vector(result === undefined ? [] : [[TYPE[result]]])],
    code: [...unsigned(code.length), ...code],
  };
}

const MAGIC_AND_VERSION: Code = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** A module whose memory is imported as `env.memory`. The functions are exported by their names. */
export function assembleModule(functions: Readonly<Record<string, FunctionBinary>>): Uint8Array<ArrayBuffer> {
  const binaries = Object.values(functions);
  const exported = Object.keys(functions).map((name, index) => [...text(name), 0x00, index]);
  return Uint8Array.from([
    ...MAGIC_AND_VERSION,
    ...section(1, vector(binaries.map(({ type }) => type))),
    ...section(2, vector([[...text('env'), ...text('memory'), 0x02, 0x00, 0x01]])),
    ...section(3, vector(binaries.map((_, index) => [index]))),
    ...section(7, vector(exported)),
    ...section(10, vector(binaries.map(({ code }) => code))),
  ]);
}

export const get = ({ index }: Variable): Code => [0x20, index];
export const set = ({ index }: Variable, value: Code): Code => [...value, 0x21, index];

export const i32 = (value: number): Code => [0x41, ...signed(value)];
export const i64 = (value: number): Code => [0x42, ...signed(value)];

const binary =
  (...operation: readonly number[]) =>
  (a: Code, b: Code): Code => [...a, ...b, ...operation];
const unary =
  (...operation: readonly number[]) =>
  (a: Code): Code => [...a, ...operation];

export const i32Op = {
  add: binary(0x6a),
  sub: binary(0x6b),
  mul: binary(0x6c),
  remU: binary(0x70),
  and: binary(0x71),
  or: binary(0x72),
  shl: binary(0x74),
  shrU: binary(0x76),
  eqz: unary(0x45),
  ltU: binary(0x49),
  leU: binary(0x4d),
  geU: binary(0x4f),
  wrap: unary(0xa7),
} as const;

export const i64Op = {
  add: binary(0x7c),
  and: binary(0x83),
  or: binary(0x84),
  shl: binary(0x86),
  shrU: binary(0x88),
  eqz: unary(0x50),
  extendU: unary(0xad),
} as const;

const simd =
  (...operation: readonly number[]) =>
  (...operands: readonly Code[]): Code => [...operands.flat(), 0xfd, ...operation];

export const simdOp = {
  sub8: simd(0x71),
  /** Pairs of neighbouring lanes added, in lanes of twice the width. */
  pairs8: simd(0x7d),
  pairs16: simd(0x7f),
  add32: simd(0xae, 0x01),
  mul32: simd(0xb5, 0x01),
  splat32: simd(0x11),
  /** The lower and the upper eight bytes in lanes of twice the width. */
  low8: simd(0x89, 0x01),
  high8: simd(0x8a, 0x01),
  add16: simd(0x8e, 0x01),
  /** Products of signed lanes, with neighbouring ones added, in lanes of twice the width. */
  dot16: simd(0xba, 0x01),
  lane32: (lanes: Code, lane: number): Code => [...lanes, 0xfd, 0x1b, lane],
  constant: (bytes: readonly number[]): Code => [0xfd, 0x0c, ...bytes],
} as const;

// Alignment 0 throughout: it is only a hint, and nothing here is aligned.
const memory = (operation: readonly number[]) => (parts: readonly Code[], offset: number) => {
  return [...parts.flat(), ...operation, 0x00, ...unsigned(offset)];
};
const load = (...operation: readonly number[]) => {
  const access = memory(operation);
  return (address: Code, offset = 0): Code => access([address], offset);
};
const store = (...operation: readonly number[]) => {
  const access = memory(operation);
  return (address: Code, value: Code, offset = 0): Code => access([address, value], offset);
};

export const load8 = load(0x2d);
export const load16 = load(0x2f);
export const load32 = load(0x28);
export const load64 = load(0x29);
export const loadVector = load(0xfd, 0x00);
export const store8 = store(0x3a);
export const store32 = store(0x36);
export const store64 = store(0x37);
export const storeVector = store(0xfd, 0x0b);

const EMPTY = 0x40;

export function when(condition: Code, then: readonly Code[], otherwise: readonly Code[] = []): Code {
  const other = otherwise.length === 0 ? [] : [0x05, ...otherwise.flat()];
  return [...condition, 0x04, EMPTY, ...then.flat(), ...other, 0x0b];
}

/** A block around a loop: leave the block when the condition fails, else go back to the loop's beginning. */
export function whileTrue(condition: Code, body: readonly Code[]): Code {
  return [0x02, EMPTY, 0x03, EMPTY, ...condition, 0x45, 0x0d, 0x01, ...body.flat(), 0x0c, 0x00, 0x0b, 0x0b];
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function vector(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function text(name: string): Code {
  return vector(Array.from(name, (letter) => [letter.charCodeAt(0)]));
}

/** LEB128, the numbers of the binary format: seven bits a byte, lowest first. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  const isLast = value >= -0x40 && value < 0x40;
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
