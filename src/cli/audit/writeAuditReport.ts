import type { AuditFinding } from '../../shared/contract/audits.ts';
import { formatCsvLine } from '../../shared/csvCell.ts';
import { printableLine } from '../printable.ts';
import type { ReportForm } from './auditArguments.ts';
import type { AuditReport } from './auditReport.ts';
import { writePageReport } from './pageReport.ts';

/** The report, in pieces. */
export function writeAuditReport(form: ReportForm, report: AuditReport): Iterable<string> {
  switch (form) {
    case 'text':
      return writeTextReport(report);
    case 'json':
      return writeJsonReport(report);
    case 'csv':
      return writeCsvReport(report);
    case 'html':
      return writePageReport(report);
  }
}

function* writeTextReport({ audits }: AuditReport): Generator<string, void> {
  for (const { audit, files, unread, total, findings, is_complete: isComplete } of audits) {
    const cut = total > findings.length ? `, ${findings.length} of them listed` : '';
    const notRead = unread > 0 ? `; ${unread} could not be read` : '';
    const incomplete = isComplete ? '' : '; not everything was looked at';
    yield `${audit}: ${counted(total, 'finding')}${cut}, in ${counted(files, 'file')}${notRead}${incomplete}\n`;
    for (const finding of findings) yield `${printableLine(writeTextLine(finding))}\n`;
  }
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function writeTextLine({ level, code, unit, message, files }: AuditFinding): string {
  const [first] = files;
  // The message of an element names it.
  const about = unit.kind === 'series' ? ` [${unit.name}]` : '';
  const at = first === undefined ? '' : ` (${first.path}${files.length > 1 ? ', …' : ''})`;
  return `  ${level} ${code}${about}: ${message}${at}`;
}

function* writeJsonReport({ program, createdAt, choice, isMasked, audits }: AuditReport): Generator<string, void> {
  const head = { program, created_at: createdAt.toISOString(), choice, is_masked: isMasked };
  yield `${JSON.stringify(head).slice(0, -1)},"audits":[\n`;
  for (const [at, { findings, ...audit }] of audits.entries()) {
    yield `${at === 0 ? '' : ',\n'}${JSON.stringify(audit).slice(0, -1)},"findings":[`;
    for (const [place, finding] of findings.entries()) yield `${place === 0 ? '\n' : ',\n'}${JSON.stringify(finding)}`;
    yield ']}';
  }
  yield ']}\n';
}

const CSV_COLUMNS = ['audit', 'level', 'code', 'unit', 'id', 'name', 'count', 'message', 'files', 'values'];

function* writeCsvReport({ audits }: AuditReport): Generator<string, void> {
  yield formatCsvLine(CSV_COLUMNS);
  for (const { audit, findings } of audits) {
    for (const { level, code, unit, count, message, files, values } of findings) {
      const paths = JSON.stringify(files.map(({ path }) => path));
      const { kind, id, name } = unit;
      yield formatCsvLine([audit, level, code, kind, id, name, String(count), message, paths, JSON.stringify(values)]);
    }
  }
}
