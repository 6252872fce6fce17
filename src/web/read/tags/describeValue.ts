import type { TagNode } from '../../../shared/contract/tags.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';

/** What is wrong with a value. */
export function explainError({ value }: TagNode): string | undefined {
  return value.type === 'error' ? value.message : undefined;
}

/** The value in one line. Several values are joined by a backslash, as the standard writes them. */
export function describeValue(node: TagNode): string {
  const { value } = node;
  switch (value.type) {
    case 'string':
      return value.value;
    case 'number':
      return String(value.value);
    case 'numbers':
    case 'strings':
      return value.value.join('\\');
    case 'binary':
      return value.fragments === undefined
        ? `${groupDigits(value.length)} bytes`
        : `${groupDigits(value.length)} bytes in ${groupDigits(value.fragments)} fragments`;
    case 'sequence': {
      const count = Math.max(value.items.length, node.total ?? 0);
      return count === 1 ? '1 item' : `${groupDigits(count)} items`;
    }
    case 'empty':
      return '';
    case 'error':
      return value.text ?? value.message;
  }
}

export function nameTag({ name, keyword, creator }: TagNode): string {
  return name || keyword || (creator === undefined ? 'Unknown' : `Private (${creator})`);
}

export function nameVr({ vr, read_as }: TagNode): string {
  return read_as === undefined ? vr : `${vr}, read as ${read_as}`;
}
