import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import {
  ColumnsBody,
  MOST_PAGE_ROWS,
  type TableFileQuery,
  type TableResponse,
  type TableSummaryResponse,
} from '../../../../shared/contract/tables.ts';
import type { TablePage, WantedTable } from '../../../images/tables/tables.ts';
import type { TableFormat } from '../../../images/tables/writeTableFile.ts';
import type { Exchange } from '../exchange.ts';
import { openObject } from '../../../machine/workers/jsonPieces.ts';
import { parseQuery } from '../parseRequest.ts';
import { parseChecked, readJsonBody } from '../readJsonBody.ts';
import { createHoldAnswer } from '../sendBytes.ts';
import { sendJsonBytes, sendLongJson } from '../sendJson.ts';
import { sendMade } from '../sendMade.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';

const USUAL_ROWS = 100;

/** The table of all files. */
export function tableRoutes({ tables, memory }: ServerContext) {
  const holdAnswer = createHoldAnswer(memory.answers);

  /** The long members were made in a thread, and are put behind what is said of all rows. */
  const sendTable = async (c: Exchange, head: object, { members }: TablePage) => {
    const start = Buffer.from(`${openObject(head)},`);
    const bytes = new Uint8Array(start.length + members.length + 1);
    bytes.set(start);
    bytes.set(members, start.length);
    bytes.set([END], bytes.length - 1);
    await holdAnswer(c, bytes.length);
    return sendJsonBytes(c, bytes);
  };

  const sendFile = async (c: Exchange, format: TableFormat, query: TableFileQuery, mediaType: string) =>
    sendMade(c, await tables.write(toWanted(query), format, c.signal), [
      ['Content-Type', mediaType],
      ['Content-Disposition', `attachment; filename="negato-${query.level ?? 'file'}.${format}"`],
    ]);

  return {
    columns: async (c) => sendLongJson(c, await tables.columns(c.signal)),
    async replaceColumns(c) {
      const words = 'the body must be {"paths": […]}, with a text for each column';
      const { paths } = await parseChecked(ColumnsBody, await readJsonBody(c), words);
      return sendLongJson(c, await tables.want(paths, c.signal), ENDPOINTS.replaceColumns.status);
    },
    async table(c) {
      const { offset = 0, limit = USUAL_ROWS, ...query } = parseQuery(ENDPOINTS.table.query, c);
      const place = { offset, limit: Math.min(limit, MOST_PAGE_ROWS) };
      const page = await tables.page({ ...toWanted(query), ...place }, c.signal);
      const head: Omit<TableResponse, 'rows' | 'groups'> = {
        ...headOf(page),
        level: page.query.level,
        columns: [...page.query.columns],
      };
      return sendTable(c, head, page);
    },
    async tableSummary(c) {
      const page = await tables.summary(toWanted(parseQuery(ENDPOINTS.tableSummary.query, c)), c.signal);
      const head: Omit<TableSummaryResponse, 'columns'> = headOf(page);
      return sendTable(c, head, page);
    },
    search: (c) => {
      const { q: text, in: place = 'both', private: isPrivate } = parseQuery(ENDPOINTS.search.query, c);
      const wish = {
        text,
        isInValues: place !== 'keyword',
        isInKeywords: place !== 'value',
        isPrivate: isPrivate !== undefined,
      };
      return sendMade(c, tables.search(wish, c.signal), [['Content-Type', ENDPOINTS.search.mediaType]]);
    },
    tableCsv: (c) => {
      const { query, mediaType } = ENDPOINTS.tableCsv;
      return sendFile(c, 'csv', parseQuery(query, c), mediaType);
    },
    tableJsonl: (c) => {
      const { query, mediaType } = ENDPOINTS.tableJsonl;
      return sendFile(c, 'jsonl', parseQuery(query, c), mediaType);
    },
    tableParquet: (c) => {
      const { query, mediaType } = ENDPOINTS.tableParquet;
      return sendFile(c, 'parquet', parseQuery(query, c), mediaType);
    },
  } satisfies Handlers;
}

const END = '}'.charCodeAt(0);

function toWanted({ partial, ...query }: TableFileQuery): WantedTable {
  return { ...query, isPartial: partial !== undefined };
}

function headOf({ revision, total, isComplete }: TablePage) {
  return { revision, total, is_complete: isComplete };
}
