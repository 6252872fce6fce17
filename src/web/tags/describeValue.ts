import type { TagNode } from '../../shared/contract/tags.ts';

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
        ? `${value.length.toLocaleString('en')} bytes`
        : `${value.length.toLocaleString('en')} bytes in ${value.fragments.toLocaleString('en')} fragments`;
    case 'sequence': {
      const count = Math.max(value.items.length, node.total ?? 0);
      return count === 1 ? '1 item' : `${count.toLocaleString('en')} items`;
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
