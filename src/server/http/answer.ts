import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Names and their values. As objects they would be slower: every set of names is a shape of its own. */
export type HeaderList = readonly (readonly [name: string, value: string | number])[];

/**
 * An answer that has `everyHeader` whoever writes it; a header of its own replaces one of these. All are written as one
 * list: set one by one beforehand each would be checked, stored and merged for every answer.
 */
export function answerWith(everyHeader: HeaderList): typeof ServerResponse {
  return class Answer<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
      const all = alternating(typeof reason === 'string' ? headers : (reason ?? headers));
      const ownLength = all.length;
      for (const [name, value] of everyHeader) {
        if (!this.hasHeader(name) && !isNamed(all, ownLength, name)) all.push(name, value);
      }
      return typeof reason === 'string' ? super.writeHead(status, reason, all) : super.writeHead(status, all);
    }
  };
}

/** Names and values in turn, as Node takes a list. */
export function toHeadList(headers: HeaderList): OutgoingHttpHeader[] {
  const list: OutgoingHttpHeader[] = [];
  for (const [name, value] of headers) list.push(name, value);
  return list;
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

function alternating(headers: Headers | undefined): OutgoingHttpHeader[] {
  if (Array.isArray(headers)) return headers.slice();
  const list: OutgoingHttpHeader[] = [];
  for (const [name, value] of Object.entries(headers ?? {})) if (value !== undefined) list.push(name, value);
  return list;
}

function isNamed(list: readonly OutgoingHttpHeader[], length: number, name: string): boolean {
  for (let i = 0; i < length; i += 2) {
    const other = String(list[i]);
    // By length first: this compares all headers of every answer.
    if (other.length === name.length && other.toLowerCase() === name.toLowerCase()) return true;
  }
  return false;
}
