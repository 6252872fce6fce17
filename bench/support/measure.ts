import { Agent, get } from 'node:http';
import { type Answer, type Client, createBareClient } from './bareClient.ts';

/** Times in milliseconds. */
export type Times = { readonly p50: number; readonly p99: number; readonly best: number; readonly count: number };

export function toTimes(values: readonly number[]): Times {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), best: at(0), count: sorted.length };
}

export function median(values: readonly number[]): number {
  return toTimes(values).p50;
}

/**
 * The time of a contender in its turn, in milliseconds: one or several measurements, or none if it is not available.
 */
export type Measure = (round: number) => Measured | Promise<Measured>;
type Measured = number | readonly number[] | undefined;

/**
 * Measures all contenders in each round. Each round starts with a different one, so that other load on the machine
 * affects them equally. A contender that is absent has no times.
 */
export async function interleave(
  rounds: number,
  contenders: Readonly<Record<string, Measure>>,
): Promise<Readonly<Record<string, Times>>> {
  const all = Object.entries(contenders).map(([name, measure]) => ({ name, measure, values: [] as number[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [turn] of all.entries()) {
      const { measure, values } = all[(round + turn) % all.length]!;
      const measured = await measure(round);
      if (measured !== undefined) values.push(...(typeof measured === 'number' ? [measured] : measured));
    }
  }
  const measured = all.filter(({ values }) => values.length > 0);
  return Object.fromEntries(measured.map(({ name, values }) => [name, toTimes(values)]));
}

export function createClient({ connections = 1 }: { readonly connections?: number } = {}): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    ask: (url) => request(url, agent),
    close: () => agent.destroy(),
  };
}

function request(url: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    get(url, { agent }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => {
        const { statusCode: status, headers } = response;
        resolve({ tookMs: performance.now() - began, bytes, status, cache: headers['x-cache']?.toString() });
      });
      response.on('error', reject);
    }).on('error', reject);
  });
}

/** Sends the requests sequentially on one connection that is kept alive. */
export async function timeRequests(urls: readonly string[], expectedCache?: 'HIT' | 'MISS'): Promise<Times> {
  const client = createBareClient();
  const values: number[] = [];
  try {
    for (const url of urls) {
      const { tookMs, status, cache } = await client.ask(url);
      if (status !== 200) throw new Error(`${url} answered ${status}`);
      if (expectedCache !== undefined && cache !== expectedCache) throw new Error(`${url} is a ${cache}`);
      values.push(tookMs);
    }
  } finally {
    client.close();
  }
  return toTimes(values);
}

/** Total time of all requests, `connections` at a time like a browser. */
export async function timeAtOnce(urls: readonly string[], connections: number): Promise<number> {
  const client = createClient({ connections });
  const began = performance.now();
  const answers = await Promise.all(urls.map((url) => client.ask(url)));
  const took = performance.now() - began;
  client.close();
  const refused = answers.findIndex(({ status }) => status !== 200);
  if (refused >= 0) throw new Error(`${urls[refused]} answered ${answers[refused]?.status}`);
  return took;
}

/** Runs `work` `count` times, after one warm-up run that does not count. */
export async function timeWork(count: number, work: (round: number) => unknown): Promise<Times> {
  await work(-1);
  const values: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const began = performance.now();
    await work(round);
    values.push(performance.now() - began);
  }
  return toTimes(values);
}
