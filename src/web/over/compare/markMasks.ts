import type { MaskBits } from '../../../shared/maskRuns.ts';
import type { Page } from '../../kit/state/page.ts';
import type { Watched } from '../../kit/ui/followStores.ts';

/** The areas among the marks over the picture of a cell, from the code that draws marks, which this wing does not import. */
export interface MarkMasks {
  /** What they depend on. */
  stores(page: Page): readonly Watched[];
  /** What the marks of a class cover of the picture; the key is null for marks without a class. Undefined if nothing can be told. */
  read(page: Page, cell: number, classKey: string | null): MaskBits | undefined;
}
