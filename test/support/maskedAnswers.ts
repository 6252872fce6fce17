import { ENDPOINTS, type Endpoint, type EndpointName } from '../../src/shared/contract/endpoints.ts';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import type { DataSet } from '../../src/server/standard/dicom/dataSet.ts';
import { PACKED_ELEMENTS } from '../../src/server/standard/dicom/elements.generated.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import { EVERY_REQUEST, optionsOfRequest } from './everyEndpoint.ts';
import { SHORTEST_SOUGHT } from './leakSearch.ts';
import { readEvents } from './readEvents.ts';
import type { TestServer } from './serve.ts';

/**
 * Text that identifies a person is marked in the files that tests write. A packed picture may have any number of the same
 * letter.
 */
const MARK = /ZZZ*[A-Y0-9][A-Z0-9]*ZZ/gi;

/** Texts of all elements of a file that are long enough to be sought, as stored or as masked; none if it cannot be read. */
function textsOf(file: Uint8Array, isOriginal: boolean): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (within: DataSet) => {
    for (const { tag, readAs, items } of within) {
      for (const item of items ?? []) walk(item);
      if (!TEXTS.has(readAs)) continue;
      for (const text of within.strings(tag, 64)) {
        const parts = readAs === 'PN' ? text.split(/[\^=]/) : [text];
        for (const part of parts) if (part.trim().length >= SHORTEST_SOUGHT) found.add(part.trim());
      }
    }
  };
  try {
    const { dataSet, meta } = readDicom(bufferSource(file), { isOriginal });
    walk(dataSet);
    walk(meta);
  } catch (error) {
    if (!(error instanceof ViewerError)) throw error;
  }
  return found;
}

const TEXTS: ReadonlySet<string> = new Set([
  'AE',
  'AS',
  'CS',
  'DA',
  'DT',
  'LO',
  'LT',
  'PN',
  'SH',
  'ST',
  'TM',
  'UC',
  'UI',
  'UR',
  'UT',
]);

/** What masking replaces or removes: texts of the files that none of them has in a masked run, nor the dictionary. */
export function listMasked(files: Iterable<Uint8Array>): string[] {
  const originals = new Set<string>();
  const shown = new Set<string>();
  for (const file of files) {
    for (const text of textsOf(file, true)) originals.add(text);
    for (const text of textsOf(file, false)) shown.add(text);
  }
  const said = `${[...shown].join('\n')}\n${PACKED_ELEMENTS}`;
  return [...originals].filter((text) => !said.includes(text));
}

export type Asked = { readonly name: string; readonly path: string; readonly init: RequestInit };

/** The request of the table, and one for every value of a query parameter that has a list of values. */
export function variantsOf(name: EndpointName): Asked[] {
  const { method, query }: Endpoint = ENDPOINTS[name];
  const path = EVERY_REQUEST[name];
  if (path === undefined) throw new Error(`everyEndpoint.ts must say how to ask for ${name}`);
  const values = Object.entries(query?.properties ?? {}).flatMap(([key, schema]) =>
    valuesOf(schema).map((value) => [key, value] as const),
  );
  const changed = method === 'GET' ? values.map((pair) => withParameter(path, pair, query?.required ?? [])) : [];
  return [path, ...changed].map((each) => ({ name, path: each, init: optionsOfRequest(name) }));
}

function valuesOf(schema: unknown): readonly string[] {
  const { enum: values, type }: { readonly enum?: unknown; readonly type?: unknown } = Object(schema);
  return Array.isArray(values) ? values.map(String) : type === 'boolean' ? ['true', 'false'] : [];
}

/** Without parameters that may be absent, because not all of them go together. */
export function withParameter(
  path: string,
  [key, value]: readonly [string, string],
  required: readonly string[],
): string {
  const url = new URL(path, 'http://localhost');
  for (const name of new Set(url.searchParams.keys())) if (!required.includes(name)) url.searchParams.delete(name);
  url.searchParams.set(key, value);
  return url.pathname + url.search;
}

/** The same request about another file, entry, layer or attachment. */
export function about({ name, path, init }: Asked, number: number): Asked {
  return { name, init, path: path.replace(NUMBERED, `$1/${number}`) };
}

/** The headers and the body; of events, the first one, which says everything. */
async function readWhole(response: Response): Promise<readonly Buffer[]> {
  const head = Buffer.from([...response.headers].map((pair) => pair.join(': ')).join('\n'), 'latin1');
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    return [head, Buffer.from(await response.arrayBuffer())];
  }
  for await (const event of readEvents(response)) return [head, Buffer.from(JSON.stringify(event))];
  return [head];
}

/** Asks for all of it, some at a time. Returns what was found in which answer, and the status of each. */
export async function ask(server: TestServer, requests: readonly Asked[], search: (answer: Uint8Array) => string[]) {
  const leaks: string[] = [];
  const answers: { readonly name: string; readonly path: string; readonly status: number }[] = [];
  const askOne = async ({ name, path, init }: Asked) => {
    const response = await server.request(path, init);
    answers.push({ name, path, status: response.status });
    const parts = await readWhole(response);
    const marks = parts.flatMap((part) => part.toString('latin1').match(MARK) ?? []);
    const found = new Set([...parts.flatMap(search), ...marks]);
    for (const each of found) leaks.push(`${init.method ?? 'GET'} ${path}: ${each}`);
  };
  for (let at = 0; at < requests.length; at += 8) await Promise.all(requests.slice(at, at + 8).map(askOne));
  return { leaks, answers };
}

/** Numbers in addresses, apart from those of frames. */
export const NUMBERED = /(?<=^\/api\/)(series\/file|file|layer|attachment|not-shown)\/\d+/;
