import { Errors } from 'typebox/value';
import { ENDPOINT_NAMES, ENDPOINTS, type Endpoint, type EndpointName } from '../../src/shared/contract/endpoints.ts';
import { ERROR_STATUS } from '../../src/shared/contract/errors.ts';

/** However busy the machine is: the longest that a decode may take is 30 s. */
const ANSWER_WITHIN_MS = 90_000;

const QUERIES: Readonly<Partial<Record<EndpointName, string>>> = {
  displayFrame: '?wc=40&ww=400',
  tags: '?depth=8&items=64',
  tagSelect: '?path=(0010,0010)',
};

/** Asks every endpoint of the table about one file, one after the other, and says what was no answer of the contract. */
export async function askEverything(baseUrl: string, index: number): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const name of ENDPOINT_NAMES) {
    const problem = await ask(baseUrl, name, index).catch((error: unknown) => `no answer: ${String(error)}`);
    if (problem !== undefined) problems.push(`${name}: ${problem}`);
  }
  return problems;
}

async function ask(baseUrl: string, name: EndpointName, index: number): Promise<string | undefined> {
  const { method, path, body, response: schema, mediaType }: Endpoint = ENDPOINTS[name];
  const target = path.replace(':index', String(index)).replaceAll(/:\w+/g, '0');
  const response = await fetch(`${baseUrl}/api${target}${QUERIES[name] ?? ''}`, {
    method,
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ num_roi: 0, roi_coords: [] }),
    }),
  });
  if (!response.ok) return checkRefusal(response);
  if (response.headers.get('content-type') !== mediaType) return `is ${response.headers.get('content-type')}`;
  if (mediaType === 'text/event-stream') return void response.body?.cancel();
  if (schema === undefined) return void (await response.arrayBuffer());
  const [error] = Errors(schema, await response.json());
  return error === undefined ? undefined : `${error.instancePath} ${error.message}`;
}

async function checkRefusal(response: Response): Promise<string | undefined> {
  const { code, error }: { code?: string; error?: unknown } = await response.json();
  const status = Object.entries(ERROR_STATUS).find(([each]) => each === code)?.[1];
  if (status === response.status && code !== 'internal_error' && typeof error === 'string') return undefined;
  return `${response.status} ${code} ${String(error)}`;
}
