import type { TObject, TSchema } from './schema.ts';
import { ENDPOINTS, type Endpoint, TEXT_PARAMETERS } from './endpoints.ts';
import { ERROR_STATUS } from './errorStatus.ts';
import { JUDGED_BY_ROUTE } from './frames.ts';
import { FAILURE_IN_BODY, HEADER, WAITS_WHILE_BUSY } from './headers.ts';

type Json = Record<string, unknown>;

/** The API as an OpenAPI 3.1 document, which uses the same JSON Schema as our own schemas. */
export function buildOpenApi(version: string): Json {
  const schemas: Json = { Error: errorSchema() };
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(ENDPOINTS)) {
    const path = `/api${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: buildOperation(name, endpoint, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'negato',
      version,
      summary: 'DICOM files of one machine over HTTP',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{}, { bearer: [] }],
    paths,
    components: { schemas, securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
}

function buildOperation(name: string, endpoint: Endpoint, schemas: Json): Json {
  return {
    operationId: name,
    summary: endpoint.summary,
    parameters: [
      ...pathParameters(endpoint.path),
      ...queryParameters(endpoint.query, schemas),
      ...headerParameters(endpoint),
    ],
    ...requestBody(endpoint, schemas),
    responses: {
      [endpoint.status ?? 200]: {
        description: endpoint.summary,
        headers: successHeaders(endpoint),
        content: {
          ...content(endpoint.mediaType, endpoint.response, schemas),
          ...Object.fromEntries([endpoint.otherMediaType ?? []].flat().map((mediaType) => [mediaType, {}])),
        },
      },
      ...(endpoint.takesRange === true
        ? {
            '206': {
              description: 'The bytes of the requested range',
              headers: successHeaders({ ...endpoint, headers: [...(endpoint.headers ?? []), 'Content-Range'] }),
              content: content(endpoint.mediaType, endpoint.response, schemas),
            },
          }
        : {}),
      default: {
        description: 'An error; its code determines the status',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

function requestBody({ body, bodyMediaType }: Endpoint, schemas: Json): Json {
  if (body === undefined && bodyMediaType === undefined) return {};
  return { requestBody: { required: true, content: content(bodyMediaType ?? 'application/json', body, schemas) } };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: pathParameterSchema(name ?? ''),
  }));
}

function pathParameterSchema(name: string): Json {
  if (!TEXT_PARAMETERS.has(name)) return { type: 'integer', minimum: 0 };
  const words = TEXT_PARAMETERS.get(name);
  return { type: 'string', ...(words !== undefined && { examples: [...words] }) };
}

function queryParameters(query: TObject | undefined, schemas: Json): Json[] {
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: query?.required?.includes(name) ?? false,
    // A list is one value with commas: position=1,2,3.
    ...('type' in schema && schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema: toComponent(withMaximum(schema), schemas),
  }));
}

function headerParameters({ path, method }: Endpoint): Json[] {
  const preferences = [
    // Endpoints about one file can fail because of what the file contains.
    path.includes(':index')
      ? `With ${FAILURE_IN_BODY}, a failure that lies in the file is answered with 200, ` +
        'the body of an error, and Preference-Applied (RFC 7240).'
      : [],
    method === 'GET' ? `With ${WAITS_WHILE_BUSY}, a busy server tries again for up to 60 s before it refuses.` : [],
  ].flat();
  if (preferences.length === 0) return [];
  const description = preferences.join(' ');
  return [{ name: 'Prefer', in: 'header', required: false, description, schema: { type: 'string' } }];
}

/** Larger integers lose precision when parsed, so the server rejects them. */
function withMaximum(schema: TSchema): TSchema {
  return 'type' in schema && schema.type === 'integer' ? { maximum: Number.MAX_SAFE_INTEGER, ...schema } : schema;
}

function successHeaders({ headers = [], otherHeaders = [] }: Endpoint): Json {
  const schema = { type: 'string' };
  return Object.fromEntries([
    ...[HEADER.serverInstance, ...headers].map((name) => [name, { required: true, schema }]),
    ...otherHeaders.map((name) => [name, { schema }]),
  ]);
}

function content(mediaType: string, schema: TSchema | undefined, schemas: Json): Json {
  return { [mediaType]: schema === undefined ? {} : { schema: toComponent(schema, schemas) } };
}

/** Converts schemas to plain JSON, with the definitions of recursive ones moved to the components of OpenAPI. */
function toComponent(given: unknown, schemas: Json): unknown {
  if (Array.isArray(given)) return given.map((item) => toComponent(item, schemas));
  if (typeof given !== 'object' || given === null) return given;
  const {
    $defs = {},
    $id: _,
    [JUDGED_BY_ROUTE]: __,
    ...rest
  } = asTuple(given) as {
    $defs?: Json;
    $id?: string;
    [JUDGED_BY_ROUTE]?: boolean;
  };
  for (const [name, definition] of Object.entries($defs)) {
    // Registered before its content is converted, because the content refers to it.
    if (!(name in schemas)) {
      schemas[name] = {};
      schemas[name] = toComponent(definition, schemas);
    }
  }
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) =>
      key === '$ref' ? [key, `#/components/schemas/${String(value)}`] : [key, toComponent(value, schemas)],
    ),
  );
}

/**
 * JSON Schema 2020-12, which OpenAPI 3.1 uses, has its own keyword for tuples; our schemas use that of earlier drafts.
 */
function asTuple(schema: { items?: unknown; additionalItems?: unknown }): object {
  const { items, additionalItems: _, ...rest } = schema;
  return !Array.isArray(items) ? schema : { ...rest, prefixItems: items, items: false, minItems: items.length };
}

function errorSchema(): Json {
  return {
    type: 'object',
    required: ['code', 'error'],
    properties: {
      code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
      error: { type: 'string' },
    },
  };
}
