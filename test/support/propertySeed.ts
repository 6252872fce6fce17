import * as fc from 'fast-check';

/**
 * Property-based tests repeat the same cases everywhere, so that a run is judged by what was changed and not by a case
 * that nobody had met before. `npm run check:long` sets other seeds.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['NEGATO_SEED'] ?? 20_251_116) });
