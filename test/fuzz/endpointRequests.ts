import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Compile, type Validator } from 'typebox/compile';
import { ENDPOINT_NAMES, ENDPOINTS, type Endpoint, type EndpointName } from '../../src/shared/contract/endpoints.ts';
import { ERROR_STATUS } from '../../src/shared/contract/errorStatus.ts';

/** Answers that violate the contract, with their endpoints. */
export type Problems = readonly string[];

export type EndpointClient = {
  /** Requests every endpoint about one file, one after the other. */
  readonly askAboutFile: (index: number) => Promise<Problems>;
  /** Requests every endpoint about all files. */
  readonly askAboutAll: () => Promise<Problems>;
  readonly close: () => void;
};

/** Long enough for a busy machine: a decode takes at most 30 s. */
const ANSWER_WITHIN_MS = 90_000;

const PLANE = '?position=0,0,0&orientation=1,0,0,0,0,1&spacing=1,1&rows=16&columns=16&slab=20';

const QUERIES: Readonly<Partial<Record<EndpointName, string>>> = {
  displayFrame: '?wc=40&ww=400',
  rawPixel: '?row=0&column=0',
  tags: '?depth=8&items=64',
  tagSelect: '?path=(0010,0010)',
  rawPlane: PLANE,
  layerOverPlane: `${PLANE}&frame_of_reference=2.25.500`,
  displayPlane: PLANE,
  planeThumbnail: PLANE,
  volumeValue: '?at=0,0,0',
  layers: '?file=0&frame=0',
  layerFrame: '?file=0&frame=0',
  dvh: '?dose=0',
  layerRegion: '?x=0&y=0&width=100&height=100&pixel=1',
};

const BODY = JSON.stringify({ num_roi: 0, roi_coords: [] });

const isAboutFile = (name: EndpointName) => /:index|:layer/.test(ENDPOINTS[name].path);
const ABOUT_FILE = ENDPOINT_NAMES.filter(isAboutFile);
const ABOUT_ALL = ENDPOINT_NAMES.filter((name) => !isAboutFile(name));

export function createEndpointClient(baseUrl: string): EndpointClient {
  const agent = new Agent({ keepAlive: true });
  const validators = new Map<EndpointName, Validator>();

  const validatorOf = (name: EndpointName): Validator | undefined => {
    const { response }: Endpoint = ENDPOINTS[name];
    if (response !== undefined && !validators.has(name)) validators.set(name, Compile(response));
    return validators.get(name);
  };

  const ask = async (name: EndpointName, index: number): Promise<string | undefined> => {
    const { path, mediaType }: Endpoint = ENDPOINTS[name];
    const target = path.replace(/:index|:layer/, String(index)).replaceAll(/:\w+/g, '0');
    const response = await send(agent, name, `${baseUrl}/api${target}${QUERIES[name] ?? ''}`);
    const isOk = response.statusCode === 200;
    if (isOk && response.headers['content-type'] !== mediaType) return `is ${response.headers['content-type']}`;
    if (isOk && mediaType === 'text/event-stream') return void response.destroy();
    const body = await buffer(response);
    if (!isOk) return checkRefusal(response.statusCode, body.toString());
    const validator = validatorOf(name);
    if (validator === undefined) return undefined;
    const answer: unknown = JSON.parse(body.toString());
    if (validator.Check(answer)) return undefined;
    const [error] = validator.Errors(answer);
    return `${error?.instancePath} ${error?.message}`;
  };

  const askEach = async (names: readonly EndpointName[], index: number): Promise<Problems> => {
    const problems: string[] = [];
    for (const name of names) {
      const problem = await ask(name, index).catch((error: unknown) => `no answer: ${String(error)}`);
      if (problem !== undefined) problems.push(`${name}: ${problem}`);
    }
    return problems;
  };

  return {
    askAboutFile: (index) => askEach(ABOUT_FILE, index),
    askAboutAll: () => askEach(ABOUT_ALL, 0),
    close: () => agent.destroy(),
  };
}

/** Accepts no encoding, because compressing and decompressing answers would take most of the time. */
function send(agent: Agent, name: EndpointName, url: string): Promise<IncomingMessage> {
  const { method, body }: Endpoint = ENDPOINTS[name];
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': BODY.length };
    const sent = request(url, { agent, method, headers, timeout: ANSWER_WITHIN_MS }, resolve);
    sent.on('timeout', () => sent.destroy(new Error(`nothing for ${ANSWER_WITHIN_MS} ms`)));
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : BODY);
  });
}

function checkRefusal(status: number | undefined, body: string): string | undefined {
  const { code, error }: { code?: string; error?: unknown } = JSON.parse(body);
  const expected = Object.entries(ERROR_STATUS).find(([each]) => each === code)?.[1];
  if (expected === status && code !== 'internal_error' && typeof error === 'string') return undefined;
  return `${status} ${code} ${String(error)}`;
}
