import type { HangingCell, HangingRule } from './hangingRule.ts';

/** A rule as a file has it: without what is as usual. */
export function writeHangingRule({ name, when, unless, layout, rows, cells, links }: HangingRule): object {
  return {
    name,
    ...(when.length > 0 && { when }),
    ...(unless.length > 0 && { unless }),
    layout: `${layout.rows}x${layout.columns}`,
    ...(rows !== undefined && { rows }),
    cells: cells.map(writeCell),
    ...(links.length > 0 && { links }),
  };
}

function writeCell({ role, series, view, window, layers, optional, ...others }: HangingCell): object {
  return {
    role,
    series,
    ...others,
    ...(view !== 'images' && { view }),
    ...(window !== 'file' && { window }),
    ...(layers.length > 0 && { layers }),
    ...(optional && { optional }),
  };
}
