import { bombs } from './files/bombs.ts';
import { codestreams } from './files/codestreams.ts';
import { declaredCounts } from './files/declaredCounts.ts';
import { documents } from './files/documents.ts';
import { delimiters } from './files/delimiters.ts';
import { lengths } from './files/lengths.ts';
import { longWork } from './files/longWork.ts';
import { lookupTables } from './files/lookupTables.ts';
import { manyValues } from './files/manyValues.ts';
import { metaInformation } from './files/metaInformation.ts';
import { names } from './files/names.ts';
import { nesting } from './files/nesting.ts';
import { offsetTables } from './files/offsetTables.ts';
import { pixelLayouts } from './files/pixelLayouts.ts';
import { references } from './files/references.ts';
import { regions } from './files/regions.ts';
import { registrations } from './files/registrations.ts';
import { presentations } from './files/presentations.ts';
import { structureSets } from './files/structureSets.ts';
import { runLengths } from './files/runLengths.ts';
import type { HostileFile } from './hostileFile.ts';

type Kinds = Readonly<Record<string, readonly HostileFile[]>>;

/** Each of these groups has its own test file. */
export const HOSTILE_STRUCTURE: Kinds = {
  nesting,
  delimiters,
  'meta information': metaInformation,
  lengths,
  names,
};
export const HOSTILE_PIXELS: Kinds = {
  'pixel layouts': pixelLayouts,
  'offset tables': offsetTables,
  bombs,
  'run lengths': runLengths,
  codestreams,
  'lookup tables': lookupTables,
};
export const HOSTILE_COUNTS: Kinds = { references, 'declared counts': declaredCounts };
export const HOSTILE_LAYERS: Kinds = {
  'structure sets': structureSets,
  registrations,
  'presentation states': presentations,
  regions,
  'plans and reports': documents,
};
export const HOSTILE_VALUES: Kinds = { 'many values': manyValues };
const HOSTILE_WORK: Kinds = { 'long work': longWork };

export const HOSTILE_FILES: Kinds = {
  ...HOSTILE_STRUCTURE,
  ...HOSTILE_PIXELS,
  ...HOSTILE_COUNTS,
  ...HOSTILE_LAYERS,
  ...HOSTILE_VALUES,
  ...HOSTILE_WORK,
};
