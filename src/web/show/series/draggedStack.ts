const TYPE = 'application/x-negato-stack';

export type DraggedStack = { readonly stackId: string; readonly fileIndex: number | undefined };

export function putDraggedStack(transfer: DataTransfer, dragged: DraggedStack): void {
  transfer.setData(TYPE, JSON.stringify(dragged));
  transfer.effectAllowed = 'copy';
}

/** Before the drop, the browser reveals only the types. */
export function hasDraggedStack(transfer: DataTransfer): boolean {
  return transfer.types.includes(TYPE);
}

export function takeDraggedStack(transfer: DataTransfer): DraggedStack | undefined {
  const text = transfer.getData(TYPE);
  if (text === '') return undefined;
  const dragged: DraggedStack = JSON.parse(text);
  return dragged;
}
