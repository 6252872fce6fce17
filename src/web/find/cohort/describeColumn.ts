import type { WireTableColumn } from '../../../shared/contract/tables.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';

const KINDS: Readonly<Record<WireTableColumn['kind'], string>> = { text: 'text', number: 'number', flag: 'yes or no' };

/** What a column is, for people who know only its name. */
export function describeColumn(name: string, known: WireTableColumn | undefined): string {
  if (known === undefined) return name;
  const { title, tag, vr, kind, filled, total, problem } = known;
  const counted = filled === null ? null : `in ${groupDigits(filled)} of ${groupDigits(total)} files`;
  const facts = [tag, vr, KINDS[kind], counted];
  const first = title === name ? name : `${name}: ${title}`;
  return [first, facts.filter((fact) => fact !== null).join(' · '), problem].filter((line) => line !== null).join('\n');
}

/** How far the files have been read for a column; undefined if they have been. */
export function describeReading(known: WireTableColumn | undefined): string | undefined {
  if (known === undefined || known.state === 'ready') return undefined;
  if (known.state === 'failed') return 'not read';
  return `${known.total === 0 ? 0 : Math.floor((100 * known.done) / known.total)} %`;
}
