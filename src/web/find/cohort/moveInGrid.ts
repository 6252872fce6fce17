/** Which cell keys act on. Line -1 is the heading; column 0 is that of the check marks. */
export type GridPlace = { readonly line: number; readonly column: number };

export type GridBounds = {
  readonly lines: number;
  /** With that of the check marks. */
  readonly columns: number;
  /** Whole lines on the screen. */
  readonly pageLines: number;
};

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>;

/** Where a key leads, as in the grids of the ARIA Authoring Practices; undefined for a key that does not move. */
export function moveInGrid({ line, column }: GridPlace, press: Press, bounds: GridBounds): GridPlace | undefined {
  const isFar = press.ctrlKey || press.metaKey;
  const [lastLine, lastColumn] = [bounds.lines - 1, bounds.columns - 1];
  const toLine = (to: number) => ({ line: Math.max(-1, Math.min(lastLine, to)), column });
  const toColumn = (to: number) => ({ line, column: Math.max(0, Math.min(lastColumn, to)) });
  switch (press.key) {
    case 'ArrowUp':
      return toLine(isFar ? 0 : line - 1);
    case 'ArrowDown':
      return toLine(isFar ? lastLine : line + 1);
    case 'PageUp':
      return toLine(Math.max(Math.min(line, 0), line - bounds.pageLines));
    case 'PageDown':
      return toLine(line + bounds.pageLines);
    case 'ArrowLeft':
      return toColumn(isFar ? 0 : column - 1);
    case 'ArrowRight':
      return toColumn(isFar ? lastColumn : column + 1);
    case 'Home':
      return isFar ? { line: Math.min(0, lastLine), column: 0 } : toColumn(0);
    case 'End':
      return isFar ? { line: lastLine, column: lastColumn } : toColumn(lastColumn);
    default:
      return undefined;
  }
}
