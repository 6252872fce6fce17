import type { LucideIcon } from 'lucide-react';
import { useLayersOver } from '../over/layers/stackLayers.ts';
import { usePicture } from '../show/pictures/pictureKinds.ts';
import { useCells } from '../kit/state/cells.ts';
import { ToolButton } from '../kit/ui/ToolButton.tsx';
import { getCommand } from './commandTable.ts';
import { useCommand } from './useCommand.ts';

/** Opens the list of layers of the active cell, and says how many there are. */
export function LayersButton({ icon: Icon, name }: { readonly icon: LucideIcon; readonly name: string | undefined }) {
  const cell = useCells((state) => state.activeCell);
  const count = useLayersOver(usePicture(cell), cell).length;
  const command = getCommand('panel.layers');
  const { run } = useCommand(command);
  return (
    <ToolButton label={count > 0 ? `${command.title} ${count}` : command.title} keyHint={command.keys[0]} onClick={run}>
      <Icon size={17} aria-hidden="true" />
      {name} {count > 0 && <span data-count={count}>{count}</span>}
    </ToolButton>
  );
}
