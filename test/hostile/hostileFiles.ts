import { bombs } from './files/bombs.ts';
import { codestreams } from './files/codestreams.ts';
import { declaredCounts } from './files/declaredCounts.ts';
import { delimiters } from './files/delimiters.ts';
import { lengths } from './files/lengths.ts';
import { lookupTables } from './files/lookupTables.ts';
import { manyValues } from './files/manyValues.ts';
import { metaInformation } from './files/metaInformation.ts';
import { names } from './files/names.ts';
import { nesting } from './files/nesting.ts';
import { offsetTables } from './files/offsetTables.ts';
import { pixelLayouts } from './files/pixelLayouts.ts';
import { references } from './files/references.ts';
import { runLengths } from './files/runLengths.ts';
import type { HostileFile } from './hostileFile.ts';

export const HOSTILE_FILES: Readonly<Record<string, readonly HostileFile[]>> = {
  nesting,
  delimiters,
  'meta information': metaInformation,
  lengths,
  'pixel layouts': pixelLayouts,
  'offset tables': offsetTables,
  references,
  bombs,
  'run lengths': runLengths,
  codestreams,
  'lookup tables': lookupTables,
  names,
  'many values': manyValues,
  'declared counts': declaredCounts,
};
