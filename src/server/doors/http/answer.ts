import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Pairs of name and value. Objects would be slower, because each set of names creates a new object shape. */
export type HeaderList = readonly (readonly [name: string, value: string | number])[];

/**
 * A response class that adds `everyHeader` to every response; a header set by the response itself takes precedence. All
 * headers are written as one list, because headers set one by one would each be validated, stored and merged for every
 * response.
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

/** Alternating names and values, the list form that Node accepts. */
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
    // The lengths are compared first, because this runs over all headers of every response.
    if (other.length === name.length && other.toLowerCase() === name.toLowerCase()) return true;
  }
  return false;
}
