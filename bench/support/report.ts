import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { join } from 'node:path';

declare const NEGATO_ROOT: string;

/** Options of every benchmark, for `parseArgs`. */
export const SUITE_OPTIONS = {
  /** Writes the tables into README.md. */
  write: { type: 'boolean', default: false },
  /** Another server with the same API. */
  peer: { type: 'string' },
} as const;

/** A row of a table, by column. Missing columns become empty cells. */
export type Cells = Readonly<Record<string, string>>;

export type Table = { readonly row: (name: string, cells: Cells) => void };

export type Report = {
  /** Printed during the run; not written to the README. */
  readonly note: (text: string) => void;
  /** `title` is the header of the column with the row names. */
  readonly table: (title: string) => Table;
};

/**
 * Measures, prints a description of the machine and the tables, and writes them into README.md if `--write` is given.
 */
export async function runBenchmark(name: string, measure: (report: Report) => Promise<void> | void): Promise<void> {
  const loadBefore = loadavg()[0] ?? Number.NaN;
  const tables: { title: string; rows: Map<string, Cells> }[] = [];
  await measure({
    note: (text) => console.log(text),
    table(title) {
      const rows = new Map<string, Cells>();
      tables.push({ title, rows });
      return {
        row(rowName, cells) {
          rows.set(rowName, cells);
          const text = Object.entries(cells).map(([column, cell]) => `${column} ${cell}`);
          console.log(`${title}, ${rowName}: ${text.join(', ')}`);
        },
      };
    },
  });
  const written = tables.filter(({ rows }) => rows.size > 0).map(({ title, rows }) => toMarkdown(title, rows));
  const section = [machineFacts(loadBefore), ...written].join('\n\n');
  console.log(`\n${section}`);
  if (process.argv.includes('--write')) writeSection(join(NEGATO_ROOT, 'bench/README.md'), name, section);
}

function machineFacts(loadBefore: number): string {
  const processor = cpus()[0]?.model ?? 'unknown processor';
  const load = `load average ${loadBefore.toFixed(1)} before and ${loadavg()[0]?.toFixed(1)} after`;
  const command = process.argv.slice(2).filter((argument) => argument !== '--write');
  const given = command.length === 0 ? '' : ` Arguments: \`${command.join(' ')}\`.`;
  return `${processor}, ${availableParallelism()} threads, ${type()} ${release()}, Node ${process.version}, ${load}.${given}`;
}

/** Pads the columns as the formatter does. */
export function toMarkdown(title: string, rows: ReadonlyMap<string, Cells>): string {
  const columns = [...new Set([...rows.values()].flatMap((cells) => Object.keys(cells)))];
  const lines = [
    [title, ...columns],
    ...[...rows].map(([name, cells]) => [name, ...columns.map((column) => cells[column] ?? '')]),
  ];
  const widths = [title, ...columns].map((_, at) => Math.max(3, ...lines.map((line) => line[at]?.length ?? 0)));
  const [head = [], ...body] = lines.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function writeSection(path: string, name: string, section: string): void {
  writeFileSync(path, replaceSection(readFileSync(path, 'utf8'), name, section));
}

/** Replaces the text between the two comments with this name. */
export function replaceSection(text: string, name: string, section: string): string {
  const [begin, end] = [`<!-- figures of ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no place for the figures of ${name}`);
  return `${text.slice(0, from + begin.length)}\n\n${section}\n\n${text.slice(to)}`;
}

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
}

export function mb(value: number): string {
  return `${value.toFixed(0)} MB`;
}

/** How many times as long as `ours` the other takes: above 1 negato is faster. */
export function times(other: number, ours: number): string {
  const ratio = other / ours;
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)} times`;
}

export function perSecond(count: number, tookMs: number): string {
  return Math.round((count / tookMs) * 1000).toLocaleString('en');
}

/** A target, and whether it was met. */
export function target(text: string, isMet: boolean): string {
  return `${text}: ${isMet ? 'met' : 'missed'}`;
}
