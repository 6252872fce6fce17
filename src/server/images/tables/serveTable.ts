import { encodeTexts } from '../../machine/workers/jsonPieces.ts';
import { chooseRows } from './chooseRows.ts';
import { flattenRows } from './flattenRows.ts';
import { orderRows } from './orderRows.ts';
import { listGroups, MOST_GROUPS, writePage } from './readPage.ts';
import { summarize, writeSummaries } from './summarize.ts';
import { ColumnGone, TableData } from './tableData.ts';
import type { FailedReply, TableFacts, TableQuestion, TableThreadReply, TableThreadRequest } from './tableMessages.ts';
import type { RowsQuery } from './tableQuery.ts';
import { writeTableFile } from './writeTableFile.ts';

type Post = (reply: TableThreadReply, transfer: readonly ArrayBuffer[]) => void;

/** Orders of rows that are kept, so that the next page of a table takes no time. */
const MOST_ORDERS = 4;

/** The work of the table thread: returns the function that takes the messages of the main thread. */
export function serveTable(post: Post): (request: TableThreadRequest) => void {
  let data = new TableData(Infinity);
  let changes = 0;
  const orders = new Map<string, Uint32Array>();
  const files = new Map<number, Iterator<Uint8Array<ArrayBuffer>, void>>();
  const queue: TableThreadRequest[] = [];
  /** Questions whose client has gone, while they wait. */
  const dropped = new Set<number>();

  function learn(facts: TableFacts): void {
    changes += 1;
    orders.clear();
    switch (facts.kind) {
      case 'start':
        data = new TableData(facts.budgetBytes);
        files.clear();
        return;
      case 'files':
        data.add(facts.rows);
        return;
      case 'read':
        data.replace(facts.fileIndex, facts.rows);
        return;
      case 'gone':
        data.rows.leaveOut(facts.files);
        return;
      case 'columns':
        data.setHarvested(facts.columns);
        return;
      case 'people':
        data.setPeople(facts.info, facts.items);
    }
  }

  /** The chosen rows in their order. */
  function findOrder(query: RowsQuery): Uint32Array {
    const { level, where, sort, group } = query;
    const key = JSON.stringify([changes, level, where, sort, group]);
    const order = orders.get(key) ?? orderRows(data, chooseRows(data, level, where), query);
    orders.delete(key);
    orders.set(key, order);
    for (const oldest of orders.keys()) if (orders.size > MOST_ORDERS) orders.delete(oldest);
    return order;
  }

  function sendNext(answer: number): void {
    const next = files.get(answer)?.next();
    if (next === undefined || next.done === true) {
      files.delete(answer);
      post({ answer, piece: undefined }, []);
      return;
    }
    post({ answer, piece: next.value }, [next.value.buffer]);
  }

  function respond(question: TableQuestion): void {
    const { answer } = question;
    switch (question.kind) {
      case 'harvested':
        data.takeHarvested(question);
        changes += 1;
        orders.clear();
        post({ answer, bytes: data.bytes }, []);
        return;
      case 'describe': {
        const facts = data.describe(question.names);
        post({ answer, bytes: data.bytes, facts }, []);
        return;
      }
      case 'page': {
        const { query } = question;
        const order = findOrder(query);
        const groups = listGroups(data, order, query);
        if (groups === undefined) return fail(answer, 'too_many_groups', `more than ${MOST_GROUPS} groups`);
        postMembers(answer, order.length, writePage(data, order, query, groups));
        return;
      }
      case 'summary': {
        const { level, where, columns } = question.query;
        const chosen = findOrder({ level, where, sort: [], group: undefined });
        postMembers(answer, chosen.length, writeSummaries(columns.map((name) => summarize(data, level, chosen, name))));
        return;
      }
      case 'choose': {
        const chosen = new Uint32Array(chooseRows(data, 'file', question.where));
        post({ answer, bytes: data.bytes, files: chosen }, [chosen.buffer]);
        return;
      }
      case 'begin': {
        const { query, format, createdBy } = question;
        const { columns, rows } = flattenRows(data, findOrder(query), { level: query.level, names: query.columns });
        files.set(answer, writeTableFile(rows, { format, columns, createdBy }));
        sendNext(answer);
        return;
      }
      case 'continue':
        sendNext(answer);
    }
  }

  function postMembers(answer: number, total: number, texts: Iterable<string, void>): void {
    const members = encodeTexts(texts);
    post({ answer, bytes: data.bytes, total, members }, [members.buffer]);
  }

  function fail(answer: number, failure: FailedReply['failure'], message: string): void {
    files.delete(answer);
    post({ answer, failure, message }, []);
  }

  /** Returns whether it took time. */
  function take(request: TableThreadRequest): boolean {
    if (request.kind === 'drop') {
      dropped.delete(request.answer);
      files.delete(request.answer);
      return false;
    }
    if (!('answer' in request)) {
      learn(request);
      return false;
    }
    if (dropped.has(request.answer)) {
      fail(request.answer, 'dropped', 'nobody waits for it');
      return false;
    }
    try {
      respond(request);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      fail(request.answer, error instanceof ColumnGone ? 'column_gone' : 'bug', message);
    }
    return true;
  }

  /** Between two answers the thread gets messages, which may say that nobody waits for those that follow. */
  function takeNext(): void {
    for (let request = queue.shift(); request !== undefined; request = queue.shift()) if (take(request)) break;
    if (queue.length > 0) setImmediate(takeNext);
  }

  return (request) => {
    if (request.kind === 'drop') dropped.add(request.answer);
    queue.push(request);
    if (queue.length === 1) setImmediate(takeNext);
  };
}
