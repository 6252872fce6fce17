import { cellsOf } from '../kit/state/cells.ts';
import { listSaves } from '../draw/marks/panel/saveCommands.ts';
import { usePage } from '../kit/state/page.ts';
import type { Point } from '../kit/state/viewState.ts';
import { PopupMenu } from '../kit/ui/PopupMenu.tsx';
import { getCommand, keysOf } from './commandTable.ts';

export type ContextMenuProps = {
  /** Position in the active cell; the press has activated the cell. */
  readonly at: Point;
  readonly onClose: () => void;
};

const GROUPS = [
  ['edit.delete', 'mark.extend'],
  ['layout.planes', 'layout.mip', 'lightbox.toggle', 'view.layers', 'view.field', 'panel.layers'],
  ['tool.length', 'tool.angle', 'tool.ellipse', 'tool.box', 'tool.point'],
  ['view.fit', 'view.actual', 'window.file', 'window.full', 'view.invert'],
  ['view.rotateRight', 'view.rotateLeft', 'view.flipHorizontal', 'view.flipVertical', 'view.reset'],
  ['picture.save', 'picture.copy', 'film.save', 'link.copy', 'file.download', 'volume.download'],
];

/** The menu of a right click on an image. */
export function ContextMenu({ at, onClose }: ContextMenuProps) {
  const page = usePage();
  const cell = document.querySelector(`[data-cell="${cellsOf(page).getState().activeCell}"]`);
  const { left = 0, top = 0 } = cell?.getBoundingClientRect() ?? {};
  // What does not apply to this picture is left out, because a disabled item could not say why.
  const items = GROUPS.flatMap((ids) =>
    ids
      .map(getCommand)
      .filter(({ isEnabled, whyNot }) => (isEnabled?.(page) ?? true) && whyNot?.(page) === undefined)
      .map((command, n) => ({
        title: command.title,
        keyHint: keysOf(page, command)[0],
        startsGroup: n === 0,
        run: () => command.run(page),
      })),
  );
  return (
    <PopupMenu
      label="Image"
      at={{ x: left + at.x, y: top + at.y }}
      items={[...items, ...listSaves(page)]}
      onClose={onClose}
    />
  );
}
