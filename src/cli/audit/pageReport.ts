import {
  AUDIT_CODE_NAMES,
  AUDIT_CODES,
  AUDIT_LEVELS,
  type AuditFinding,
  type AuditResponse,
} from '../../shared/contract/audits.ts';
import type { AuditReport } from './auditReport.ts';

/** Without script, and without a request to anybody: only what is in the file itself is shown. */
const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="negato audit">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>Audit report</title>
<style>
:root { color-scheme: light dark; --text: #1c1f23; --soft: #5b6470; --ground: #fff; --line: #d9dde3; --head: #f1f3f6;
  --error: #a80f0f; --warning: #8a4b00; --info: #1d5a96; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eaed; --soft: #a3abb6; --ground: #15171a; --line: #343a42; --head: #1e2126;
    --error: #ff8a80; --warning: #ffb066; --info: #8ec1f5; }
}
body { margin: 0 auto; padding: 20px; max-width: 1400px; background: var(--ground); color: var(--text);
  font: 14px/1.45 system-ui, sans-serif; }
h1 { margin: 0 0 4px; font-size: 22px; }
h2 { margin: 32px 0 4px; padding-top: 8px; font-size: 18px; border-top: 2px solid var(--line); }
h3 { margin: 20px 0 6px; font-size: 15px; }
h3 span { color: var(--soft); font-weight: normal; }
p { margin: 4px 0; }
.soft { color: var(--soft); }
table { width: 100%; border-collapse: collapse; }
th { background: var(--head); text-align: left; }
th, td { padding: 4px 10px 4px 6px; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
td.number, th.number { text-align: right; white-space: nowrap; }
.error { color: var(--error); font-weight: 600; }
.warning { color: var(--warning); font-weight: 600; }
.info { color: var(--info); }
.files { color: var(--soft); font: 12px/1.4 ui-monospace, monospace; }
img { display: block; max-width: 320px; max-height: 320px; margin: 6px 0; background: #000; }
code { font: 12px/1.4 ui-monospace, monospace; }
@media print {
  :root { color-scheme: light; --text: #000; --soft: #444; --ground: #fff; --line: #bbb; --head: #eee;
    --error: #a80f0f; --warning: #8a4b00; --info: #1d5a96; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
</style>
</head>
<body>
`;

/** A report that opens from a mail, and can be printed. */
export function* writePageReport(report: AuditReport): Generator<string, void> {
  const { audits } = report;
  yield HEAD;
  yield '<h1>Audit report</h1>\n';
  for (const line of describeReport(report)) yield `<p class="soft">${escapeText(line)}</p>\n`;
  yield '<h2>What was looked at</h2>\n<table>\n<tr><th>Audit</th><th class="number">Files</th>';
  for (const level of AUDIT_LEVELS.toReversed()) yield `<th class="number">${LEVEL_NAMES[level]}</th>`;
  yield '<th>Notes</th></tr>\n';
  for (const audit of audits) yield writeSummaryRow(audit);
  yield '</table>\n';
  for (const audit of audits) yield* writeAuditSection(audit, report.pictures);
  yield '</body>\n</html>\n';
}

const LEVEL_NAMES = { info: 'Information', warning: 'Warnings', error: 'Errors' } as const;

function describeReport({ program, createdAt, choice, isMasked }: AuditReport): string[] {
  return [
    `Made by ${program} on ${createdAt.toISOString().slice(0, 16).replace('T', ' ')} UTC${choice.length === 0 ? '' : `: ${choice.join(' ')}`}.`,
    'The report says what the audits looked at and found. That an audit found nothing does not mean that there is nothing to find.',
    isMasked
      ? 'The run was masked: names, dates, UIDs and paths are pseudonyms.'
      : 'It names files by their paths. Identifying values are shown by their form (x and X for letters, 9 for digits), unless the command has asked for the values.',
  ];
}

function writeSummaryRow(audit: AuditResponse): string {
  const { files, unread, total, findings, is_complete: isComplete } = audit;
  const counts = AUDIT_LEVELS.toReversed().map((level) => {
    const count = findings.filter((finding) => finding.level === level).length;
    return `<td class="number${count > 0 ? ` ${level}` : ''}">${count}</td>`;
  });
  const notes = [
    unread > 0 ? `${unread} files could not be read` : '',
    total > findings.length ? `${findings.length} of ${total} findings are listed` : '',
    isComplete ? '' : 'a limit has cut what was looked at',
  ].filter((note) => note !== '');
  return `<tr><td>${escapeText(audit.audit)}</td><td class="number">${files}</td>${counts.join('')}<td>${escapeText(notes.join('; '))}</td></tr>\n`;
}

type Pictures = AuditReport['pictures'];

function* writeAuditSection({ audit, findings }: AuditResponse, pictures: Pictures): Generator<string, void> {
  yield `<h2>${escapeText(audit)}</h2>\n`;
  if (findings.length === 0) yield '<p class="soft">No findings.</p>\n';
  for (const level of AUDIT_LEVELS.toReversed()) {
    for (const code of AUDIT_CODE_NAMES) {
      const some = findings.filter((finding) => finding.code === code && finding.level === level);
      if (some.length > 0) yield* writeTable(some, AUDIT_CODES[code].title, pictures);
    }
  }
}

function* writeTable(findings: readonly AuditFinding[], title: string, pictures: Pictures): Generator<string, void> {
  const [{ code, level } = { code: '', level: 'info' }] = findings;
  yield `<h3><span class="${level}">${level}</span> ${escapeText(title)} <span><code>${code}</code></span></h3>\n<table>\n`;
  yield '<tr><th>Where</th><th>What</th><th>Files</th></tr>\n';
  for (const { unit, message, files, values } of findings) {
    const listed = listTexts(values['listed']);
    const shown = listed.length === 0 ? '' : `<br><code>${listed.map(escapeText).join('<br>')}</code>`;
    const picture = code.startsWith('burned_in')
      ? writePicture(pictures.get(files[0]?.file_index ?? -1), unit.name)
      : '';
    const where = unit.kind === 'file' ? unit.name : unit.name || unit.id;
    yield `<tr><td>${escapeText(where)}${unit.kind === 'element' ? `<br><code>${escapeText(unit.id)}</code>` : ''}</td><td>${escapeText(message)}${shown}${picture}</td><td class="files">${writeFiles(files)}</td></tr>\n`;
  }
  yield '</table>\n';
}

function writePicture(source: string | undefined, name: string): string {
  return source === undefined ? '' : `<img src="${source}" alt="${escapeText(`An image of ${name}`)}">`;
}

function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

/** More are in a part that opens with a click. */
const FILES_SHOWN = 3;

function writeFiles(files: AuditFinding['files']): string {
  const lines = files.map(({ path }) => escapeText(path));
  const more = lines.slice(FILES_SHOWN);
  const first = lines.slice(0, FILES_SHOWN).join('<br>');
  return more.length === 0
    ? first
    : `${first}<details><summary>${more.length} more</summary>${more.join('<br>')}</details>`;
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
