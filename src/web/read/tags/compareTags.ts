import type { TagNode } from '../../../shared/contract/tags.ts';
import { describeValue, nameTag } from './describeValue.ts';

export type TagDifference = {
  readonly path: string;
  readonly name: string;
  /** Undefined: the file has no such element. */
  readonly left: string | undefined;
  readonly right: string | undefined;
};

/** What differs between two files, in tag order. Binary values are compared by their lengths. */
export function compareTags(left: readonly TagNode[], right: readonly TagNode[], prefix = ''): TagDifference[] {
  const [lefts, rights] = [byTag(left), byTag(right)];
  const tags = [...new Set([...lefts.keys(), ...rights.keys()])].toSorted();
  return tags.flatMap((tag) => compareElement(lefts.get(tag), rights.get(tag), prefix + tag));
}

function compareElement(left: TagNode | undefined, right: TagNode | undefined, path: string): TagDifference[] {
  const named = left ?? right;
  if (named === undefined) return [];
  if (left?.value.type === 'sequence' && right?.value.type === 'sequence') {
    const [lefts, rights] = [left.value.items, right.value.items];
    const count = Math.max(lefts.length, rights.length);
    const below = Array.from({ length: count }, (_, i) => i).flatMap((item) =>
      compareTags(lefts[item] ?? [], rights[item] ?? [], `${path}/${item}/`),
    );
    if (describeValue(left) === describeValue(right)) return below;
    return [{ path, name: nameTag(named), left: describeValue(left), right: describeValue(right) }, ...below];
  }
  const [before, after] = [left, right].map((node) => (node === undefined ? undefined : describeValue(node)));
  if (left?.value.type === right?.value.type && before === after) return [];
  return [{ path, name: nameTag(named), left: before, right: after }];
}

function byTag(nodes: readonly TagNode[]): Map<string, TagNode> {
  return new Map(nodes.map((node) => [node.tag, node]));
}
