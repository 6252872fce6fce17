import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NoVerdictFile, readVerdicts } from '../server/work/review/readVerdicts.ts';
import { readReviewScheme, USUAL_SCHEME } from '../server/work/review/reviewScheme.ts';
import type { ReviewSettings } from '../server/work/review/reviews.ts';
import { printable } from './printable.ts';
import type { Settings } from './settings.ts';
import { StartFailure } from './startFailure.ts';

type CheckedReview = Omit<ReviewSettings, 'onTrouble'>;

/** Reads the scheme, and looks whether the files are those of verdicts, so that no other one is written to. Throws StartFailure. */
export async function checkReview({ schemePath, ...review }: NonNullable<Settings['review']>): Promise<CheckedReview> {
  const scheme = schemePath === undefined ? USUAL_SCHEME : await readScheme(schemePath);
  for (const [n, path] of review.paths.entries()) {
    const isThere = await looksRight(path);
    // The first one is made with the first decision, in a folder that is there.
    if (isThere) continue;
    if (n > 0) throw new StartFailure(`--review ${printable(path)} does not exist`);
    const folder = await stat(dirname(path)).catch(() => undefined);
    if (folder?.isDirectory() !== true)
      throw new StartFailure(`--review ${printable(path)}: the folder does not exist`);
  }
  return { ...review, scheme };
}

async function readScheme(path: string) {
  try {
    return await readReviewScheme(path);
  } catch (error) {
    throw new StartFailure(
      `--scheme ${printable(path)}: ${printable(error instanceof Error ? error.message : String(error))}`,
    );
  }
}

/** Throws NoVerdictFile's words as a StartFailure. False if there is no such file. */
async function looksRight(path: string): Promise<boolean> {
  try {
    return (await readVerdicts(path, () => 'enough')) !== undefined;
  } catch (error) {
    if (!(error instanceof NoVerdictFile) && !(error instanceof Error && 'code' in error)) throw error;
    throw new StartFailure(`--review ${printable(path)}: ${printable(error.message)}`);
  }
}
