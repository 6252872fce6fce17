import type { TagNode } from '../../../shared/contract/tags.ts';
import { formatValue } from '../../kit/ui/formatNumbers.ts';
import { findItem } from './tagNodes.ts';

type Dimension = {
  readonly tag: string;
  /** The functional group that it is in. */
  readonly group: string;
  readonly toText: (value: string) => string;
};

const number = (value: string) => (Number.isFinite(Number(value)) ? formatValue(Number(value)) : value);

/** What frames of an enhanced image differ in, in the order of the text. Positions have a place of their own. */
const DIMENSIONS: readonly Dimension[] = [
  { tag: '(0020,9056)', group: '(0020,9111)', toText: (value) => `stack ${value}` },
  { tag: '(0020,9128)', group: '(0020,9111)', toText: (value) => `time ${number(value)}` },
  { tag: '(0020,930D)', group: '(0020,9310)', toText: (value) => `+${number(value)} s` },
  { tag: '(0018,9087)', group: '(0018,9117)', toText: (value) => `b ${number(value)} s/mm²` },
  { tag: '(0018,9082)', group: '(0018,9114)', toText: (value) => `TE ${number(value)} ms` },
  { tag: '(0018,9079)', group: '(0018,9115)', toText: (value) => `TI ${number(value)} ms` },
  { tag: '(0020,9153)', group: '(0018,9118)', toText: (value) => `${number(value)} ms after the R wave` },
  { tag: '(0020,9241)', group: '(0018,9118)', toText: (value) => `${number(value)} % of the heart cycle` },
  { tag: '(0020,9245)', group: '(0020,9253)', toText: (value) => `${number(value)} % of the breath` },
  { tag: '(0018,9344)', group: '(0018,9341)', toText: (value) => value.toLowerCase() },
  { tag: '(0022,001A)', group: '(0022,0019)', toText: (value) => value },
];

/**
 * What a frame differs in from the others of its file, such as `time 3 · b 1000 s/mm²`. `groups` are its functional groups,
 * and `pointers` the elements that the file names as its dimensions.
 */
export function describeDimensions(groups: readonly TagNode[], pointers: ReadonlySet<string>): string {
  return DIMENSIONS.flatMap(({ tag, group, toText }) => {
    if (!pointers.has(tag)) return [];
    const value = findItem(groups, group)?.find((node) => node.tag === tag)?.value;
    if (value?.type === 'string' || value?.type === 'number') return [toText(String(value.value))];
    return value?.type === 'numbers' || value?.type === 'strings' ? [toText(String(value.value[0] ?? ''))] : [];
  }).join(' · ');
}

const DIMENSION_INDEX_POINTER = '(0020,9165)';

/** The elements that a Dimension Index Sequence names, as `(gggg,eeee)`. */
export function listPointers(node: TagNode | undefined): ReadonlySet<string> {
  const items = node?.value.type === 'sequence' ? node.value.items : [];
  return new Set(
    items.flatMap((item) => {
      const value = item.find(({ tag }) => tag === DIMENSION_INDEX_POINTER)?.value;
      return value?.type === 'string' ? [value.value.toUpperCase()] : [];
    }),
  );
}
