import { findCorpus } from './needs.ts';

/** The folder of real files. Tests that use it are marked with `needs(CORPUS)`. */
export const corpus: string | undefined = findCorpus();
