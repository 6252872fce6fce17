import * as fc from 'fast-check';

/**
 * Property-based tests try new cases in every run on a developer's machine. In CI they repeat the same ones, so that a
 * change is judged by what it changes and not by a case that nobody had met before.
 */
if (process.env['CI'] !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_251_116 });
