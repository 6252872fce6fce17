import type { TreeNode } from '../../show/series/treeNode.ts';
import { usePage } from '../../kit/state/page.ts';
import type { Point } from '../../kit/state/viewState.ts';
import { PopupMenu } from '../../kit/ui/PopupMenu.tsx';
import { listRowActions } from './rowActions.ts';

type Props = { readonly node: TreeNode; readonly at: Point; readonly onClose: () => void };

/** Context menu of a row of the explorer. */
export function RowMenu({ node, at, onClose }: Props) {
  const page = usePage();
  return <PopupMenu label={node.title} at={at} items={listRowActions(page, node)} onClose={onClose} />;
}
