import { ViewerError } from '../../src/shared/contract/errors.ts';
import type {
  ColumnsResponse,
  WireTableColumn,
  TableResponse,
  TableSummaryResponse,
} from '../../src/shared/contract/tables.ts';
import type { SharedServer } from './serve.ts';

type Query = Readonly<Record<string, string>>;
type Asked = Pick<SharedServer, 'request'>;

export async function putColumns(server: Asked, paths: readonly string[]): Promise<Response> {
  return server.request('/api/columns', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ paths }),
  });
}

export async function listColumns(server: Asked): Promise<readonly WireTableColumn[]> {
  const { columns }: ColumnsResponse = await (await server.request('/api/columns')).json();
  return columns;
}

/** Asks for columns and waits until all files have been read for them. */
export async function harvest(server: Asked, ...paths: readonly string[]): Promise<readonly WireTableColumn[]> {
  const response = await putColumns(server, paths);
  if (response.status !== 202) throw new Error(await response.text());
  for (;;) {
    const columns = await listColumns(server);
    if (columns.every(({ state }) => state !== 'harvesting'))
      return columns.filter(({ origin }) => origin === 'header');
    await new Promise((next) => setTimeout(next, 5));
  }
}

export const addressOf = (path: string, query: Query) => `${path}?${new URLSearchParams(query)}`;

export async function askTable(server: Asked, query: Query): Promise<TableResponse> {
  return answerOf(await server.request(addressOf('/api/table', query)));
}

export async function askSummary(server: Asked, query: Query): Promise<TableSummaryResponse> {
  return answerOf(await server.request(addressOf('/api/table/summary', query)));
}

/** The cells of all rows. */
export async function readCells(server: Asked, query: Query) {
  return (await askTable(server, query)).rows.map(({ cells }) => cells);
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  if (response.status === 200) return response.json();
  const { code, error } = await response.json();
  throw new ViewerError(code, error);
}
