import { setTimeout as delay } from 'node:timers/promises';

/** Requests something again as long as the server says that it is busy, after the time that it asks for. */
export async function askAgain(url: string): Promise<Response> {
  for (;;) {
    const response = await fetch(url);
    if (response.status !== 503) return response;
    await response.bytes();
    await delay(1_000 * Number(response.headers.get('Retry-After') ?? 1));
  }
}
