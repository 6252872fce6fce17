import type { PopupItem } from '../ui/PopupMenu.tsx';
import { describeValue, nameTag } from './describeValue.ts';
import type { TagRow } from './tagRows.ts';

/** What can be copied from a row of the tag tree. */
export function listTagActions(row: Extract<TagRow, { kind: 'element' | 'item' }>): readonly PopupItem[] {
  if (row.kind === 'item') return [copy('Copy path', row.key)];
  const { node } = row;
  return [
    ...(node.value.type === 'sequence' ? [] : [copy('Copy value', describeValue(node))]),
    copy('Copy name', nameTag(node)),
    copy('Copy tag', node.tag),
    copy('Copy path', row.key),
    copy('Copy JSON', JSON.stringify(node, undefined, 2)),
  ];
}

function copy(title: string, text: string): PopupItem {
  return { title, run: () => navigator.clipboard.writeText(text) };
}
