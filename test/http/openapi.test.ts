import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { buildOpenApi } from '../../src/shared/contract/openapi.ts';
import { ctRow } from '../support/imageElements.ts';
import { serve, type TestServer } from '../support/serve.ts';

type Schema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly examples?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
};
type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
};
type Media = Readonly<Record<string, { readonly schema?: Schema }>>;
type Operation = {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Media };
  readonly responses: Readonly<
    Record<
      string,
      { readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>; readonly content: Media }
    >
  >;
};
type Described = { readonly path: string; readonly method: string; readonly operation: Operation };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the first test shows that it is one
const DOCUMENT = buildOpenApi('0.0.0') as unknown as Document;

const OPERATIONS: readonly Described[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** The schema with its references renamed to those that the compiler knows. */
function ownReferences(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/components/schemas/', '"$ref":"component:'));
}

/** Knows the component schemas that others refer to. Rejects keywords that JSON Schema 2020-12 does not define. */
function createCompiler(): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
  const compiled = new Map<Schema, ValidateFunction>();
  for (const [name, schema] of Object.entries(DOCUMENT.components.schemas)) {
    ajv.addSchema({ ...ownReferences(schema), $id: `component:${name}` });
  }
  return (schema) => {
    const check = compiled.get(schema) ?? ajv.compile(ownReferences(schema));
    compiled.set(schema, check);
    return check;
  };
}

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(DOCUMENT)));
  expect({ valid, errors, version: validator.version }).toEqual({ valid: true, errors: undefined, version: '3.1' });
});

test('every schema in it is valid JSON Schema 2020-12, and a tuple has exactly its items', () => {
  const ajv = new Ajv2020({ strict: false });
  for (const schema of allSchemas(DOCUMENT))
    expect({ schema, ok: ajv.validateSchema(schema) }).toMatchObject({ ok: true });
  expect(JSON.stringify(DOCUMENT)).not.toMatch(/additionalItems|"items":\[|x-judged/);
  const { content } = OPERATIONS.find(({ method }) => method === 'PUT')!.operation.requestBody!;
  expect(content['application/json']?.schema).toMatchObject({
    additionalProperties: false,
    properties: {
      roi_coords: {
        items: {
          prefixItems: [{ minimum: 0 }, { minimum: 0 }, { exclusiveMinimum: 0 }, { exclusiveMinimum: 0 }],
          items: false,
          minItems: 4,
        },
      },
    },
  });
});

/** An image with a sequence to select and with more than one row and column. */
const IMAGE = writeDicom(
  ctRow({
    ReferencedStudySequence: [{ ReferencedSOPInstanceUID: '2.25.9' }],
    Rows: 2,
    Columns: 2,
    PixelData: Int16Array.of(863, 1064, 1264, 0),
  }),
);

describe('a client that knows nothing but the document', () => {
  test('gets a response as described for every allowed value, and 400 for every other', async () => {
    const server = await serve(IMAGE);
    const compile = createCompiler();
    const surprises: object[] = [];
    for (const described of OPERATIONS) {
      for (const [textsOf, isRefused] of [[allowedTexts, false] as const, [forbiddenTexts, true] as const]) {
        for (const values of variations(described.operation.parameters, textsOf)) {
          const outcome = await ask(server, described, values, compile);
          if (!outcome.isAsDescribed || outcome.isRefused !== isRefused) surprises.push(outcome);
        }
      }
    }

    expect(surprises).toEqual([]);
  });

  test('finds that a part of a stored file is 206, with its range', async () => {
    const server = await serve(IMAGE);
    const path = '/api/file/{index}/file';
    const { responses } = OPERATIONS.find((one) => one.path === path)!.operation;
    const answer = await server.request(path.replace('{index}', '0'), { headers: { Range: 'bytes=0-9' } });
    await answer.arrayBuffer();
    const described = responses[String(answer.status)];
    const required = Object.entries(described?.headers ?? {}).filter(([, { required: isRequired }]) => isRequired);

    expect(answer.status).toBe(206);
    expect(Object.keys(described?.content ?? {})).toEqual([answer.headers.get('content-type')]);
    expect(required.map(([name]) => name)).toContain('Content-Range');
    expect(required.filter(([name]) => !answer.headers.has(name))).toEqual([]);
  });

  test('is refused for every body that the document does not allow', async () => {
    const server = await serve(IMAGE);
    const schema = OPERATIONS.find(({ method }) => method === 'PUT')?.operation.requestBody?.content[
      'application/json'
    ];
    const isAllowed = createCompiler()(schema?.schema ?? {});
    const number = fc.oneof(fc.integer({ min: -1, max: 3 }), fc.constantFrom(0.5, null, '1'));
    const body = fc.record(
      {
        num_roi: number,
        roi_coords: fc.array(fc.oneof(fc.array(number, { minLength: 3, maxLength: 5 }), number), { maxLength: 2 }),
        roi_frames: fc.array(fc.array(number, { maxLength: 2 }), { maxLength: 2 }),
        roi_frame: fc.constant([]),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          body,
          fc.json().map((text): unknown => JSON.parse(text)),
        ),
        async (value) => {
          const response = await server.request('/api/file/0/annotations', {
            method: 'PUT',
            body: JSON.stringify(value),
            headers: { 'Content-Type': 'application/json' },
          });
          await response.text();
          // A body that the schema allows may still break a rule about the image, which no schema can express.
          expect({ value, status: response.status }).toSatisfy(
            ({ status }: { status: number }) => [400, 422].includes(status) || (status === 200 && isAllowed(value)),
          );
        },
      ),
      { numRuns: 150 },
    );
  });
});

async function ask(
  server: TestServer,
  { path, method, operation }: Described,
  values: ReadonlyMap<Parameter, string>,
  compile: (schema: Schema) => ValidateFunction,
) {
  let target = path;
  const query = new URLSearchParams();
  const headers = new Headers();
  for (const [parameter, text] of values) {
    if (parameter.in === 'query') query.set(parameter.name, text);
    else if (parameter.in === 'header') headers.set(parameter.name, text);
    else target = target.replace(`{${parameter.name}}`, encodeURIComponent(text));
  }
  const init = operation.requestBody && { body: JSON.stringify({ num_roi: 0, roi_coords: [] }) };
  if (init !== undefined) headers.set('Content-Type', 'application/json');
  const request = `${method} ${target}?${query}`;
  const response = await server.request(`${target}?${query}`, { method, headers, ...init });
  const described = operation.responses[String(response.status)] ?? operation.responses['default'];
  const mediaType = response.headers.get('content-type') ?? '';
  const media = described?.content[mediaType];
  const missing = Object.entries(described?.headers ?? {})
    .filter(([name, { required }]) => required === true && !response.headers.has(name))
    .map(([name]) => name);
  if (mediaType === 'text/event-stream') await response.body?.cancel();
  const body: unknown = mediaType === 'application/json' ? await response.json() : undefined;
  const check = media?.schema === undefined ? undefined : compile(media.schema);
  const fits = check === undefined || check(body);
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
  return {
    request,
    status: response.status,
    missing,
    errors: check?.errors,
    code,
    isAsDescribed: media !== undefined && missing.length === 0 && fits && response.status < 500,
    isRefused: response.status === 400 && /^invalid_(path|query|window)$/.test(String(code)),
  };
}

/** Every text of each parameter in turn, while the other required parameters keep their first allowed text. */
function* variations(
  parameters: readonly Parameter[],
  textsOf: (parameter: Parameter) => readonly string[],
): Generator<ReadonlyMap<Parameter, string>> {
  const needed = parameters.filter(({ required }) => required);
  const plain = new Map(needed.map((parameter) => [parameter, allowedTexts(parameter)[0] ?? '']));
  if (textsOf === allowedTexts) yield plain;
  for (const parameter of parameters) {
    for (const text of textsOf(parameter)) {
      const values = new Map(plain);
      values.set(parameter, text);
      // wc and ww must be given together, which OpenAPI cannot express.
      const partner = { wc: 'ww', ww: 'wc' }[parameter.name];
      const other = parameters.find(({ name }) => name === partner);
      if (other !== undefined) values.set(other, '1');
      yield values;
    }
  }
}

const PATHS = ['(0008,1110)', '0008,1110', '(0008,1110)/0/(0008,1155)', '0008,1110/0/0008,1155'];

function allowedTexts(parameter: Parameter): string[] {
  const { name, schema } = parameter;
  if (schema.enum !== undefined) return schema.enum.map(String);
  if (schema.type === 'boolean') return ['true', 'false'];
  if (schema.type === 'string') return name === 'path' ? PATHS : [...(schema.examples ?? ['x'])];
  // The vectors of an orientation must be perpendicular, which OpenAPI cannot express.
  if (name === 'orientation') return ['1,0,0,0,1,0', '0,0,-1,0.6,0.8,0'];
  if (schema.type === 'array')
    return allowedTexts({ ...parameter, schema: schema.items! }).map((text) => repeat(text, schema.minItems!));
  const { minimum, exclusiveMinimum, maximum } = schema;
  const least = minimum ?? (exclusiveMinimum === undefined ? -3 : exclusiveMinimum + 1);
  // The number of rows and columns depends on the image, which OpenAPI cannot express.
  const isInImage = name === 'row' || name === 'column';
  const second = least + 1 > (maximum ?? Infinity) ? [] : [least + 1];
  const numbers = [least, ...second, ...(maximum === undefined || isInImage ? [] : [maximum])];
  return schema.type === 'number' ? [...numbers.map(String), '0.5'] : numbers.map(String);
}

function repeat(text: string, count: number): string {
  return Array.from({ length: count }, () => text).join();
}

function forbiddenTexts(parameter: Parameter): string[] {
  const { schema } = parameter;
  if (schema.type === 'array') {
    const { items = {}, minItems = 0, maxItems = 0 } = schema;
    const ofItem = forbiddenTexts({ ...parameter, schema: items }).map((text) => repeat(text, minItems));
    return ['', repeat('1', minItems - 1), repeat('1', maxItems + 1), ...ofItem];
  }
  if (schema.enum !== undefined) return ['', 'no such word'];
  if (schema.type === 'boolean') return ['', '1', 'yes'];
  if (schema.type === 'string') return [...(schema.minLength === 1 ? [''] : []), ...(schema.examples ? ['~'] : [])];
  const { minimum, exclusiveMinimum, maximum } = schema;
  return [
    '1x',
    'one',
    ...(schema.type === 'integer' ? ['0.5', '1e1'] : ['NaN', 'Infinity']),
    ...(minimum === undefined ? [] : [String(minimum - 1)]),
    ...(exclusiveMinimum === undefined ? [] : [String(exclusiveMinimum), String(exclusiveMinimum - 1)]),
    ...(maximum === undefined ? [] : [String(maximum + 1)]),
  ];
}

/**
 * All schemas under the keys that OpenAPI has for them. Nested schemas are checked with the schemas that contain them.
 */
function* allSchemas(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'schema') yield inner;
    else if (key === 'schemas') yield* Object.values<object>(inner);
    else yield* allSchemas(inner);
  }
}
