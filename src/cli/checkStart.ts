import { realpath } from 'node:fs/promises';
import type { LabelScheme } from '../shared/contract/marks.ts';
import type { FileCriterion } from '../shared/fileFilter.ts';
import type { ChosenIndexes } from '../server/images/catalog/openIndex.ts';
import { isPublicHost } from '../server/doors/http/hostNames.ts';
import type { ReviewSettings } from '../server/work/review/reviews.ts';
import { isMasked } from '../server/bytes/masking/masker.ts';
import { inputExists } from '../server/bytes/origins/inputExists.ts';
import { localFile } from '../server/bytes/origins/origins.ts';
import { printable } from './printable.ts';
import type { Settings } from './settings.ts';
import { StartFailure } from './startFailure.ts';
import { UsageError } from './usageError.ts';

/** Checks what can be checked before the server listens. Throws UsageError or StartFailure. */
export type CheckedStart = {
  /** Those of `--filter` and `--where`. */
  readonly filters: readonly FileCriterion[];
  readonly indexes: ChosenIndexes | undefined;
  readonly scheme: LabelScheme | undefined;
  readonly hanging: readonly object[];
  /** As the system resolves it. */
  readonly scoresPath: string | undefined;
  readonly review: Omit<ReviewSettings, 'onTrouble'> | undefined;
};

export async function checkStart(settings: Settings): Promise<CheckedStart> {
  const { filters, where, source, overlays, compared, annotations, labels, hanging, review, scores } = settings;
  if (NEGATO_DEBUG_API) refuseExposedDebugBuild(settings);
  const parsed = await parseFilterOptions(filters);
  if (source.kind === 'paths') await requireSomeInput(source.paths);
  for (const path of overlays) {
    if (!(await inputExists(path))) throw new StartFailure(`--overlay ${printable(path)} does not exist`);
  }
  for (const [name, path] of Object.entries(compared ?? {})) {
    if (!(await inputExists(path))) throw new StartFailure(`--${name} ${printable(path)} does not exist`);
  }
  if (annotations !== undefined) await requireCsvHeader(annotations);
  const scoresPath =
    scores === undefined
      ? undefined
      : await realpath(scores).catch(() => {
          throw new StartFailure(`--scores ${printable(scores)} does not exist`);
        });
  const indexes = source.kind === 'indexes' ? await checkIndexes(source, where) : undefined;
  const scheme = labels === undefined ? undefined : await readLabels(labels);
  const rules = hanging === undefined ? [] : await readHangingRules(hanging);
  const checkedReview = review === undefined ? undefined : await (await import('./checkReview.ts')).checkReview(review);
  return {
    filters: [...parsed, ...(await checkWhere(where, indexes))],
    indexes,
    scheme,
    hanging: rules,
    scoresPath,
    review: checkedReview,
  };
}

/** A wrong condition is a usage error, and not an empty list. */
async function checkWhere(
  where: string | undefined,
  indexes: ChosenIndexes | undefined,
): Promise<readonly FileCriterion[]> {
  if (where === undefined) return [];
  const { parseWhere } = await import('../shared/whereClause.ts');
  const { parseWhereOfFiles } = await import('../server/images/catalog/whereOfFiles.ts');
  const parsed =
    indexes === undefined
      ? [parseWhereOfFiles(where)]
      : indexes.indexes.map(({ description }) => parseWhere(where, description.columns));
  for (const one of parsed) if (!one.ok) throw new UsageError(`--where: ${printable(one.message)}`);
  return [{ where }];
}

async function checkIndexes(
  { paths }: Extract<Settings['source'], { kind: 'indexes' }>,
  where: string | undefined,
): Promise<ChosenIndexes> {
  const { describeIndex } = await import('../server/images/catalog/readIndex.ts');
  const indexes: ChosenIndexes['indexes'][number][] = [];
  for (const path of paths) {
    try {
      const source = localFile(await realpath(path));
      indexes.push({ source, description: await describeIndex(source, where) });
    } catch (error) {
      throw new StartFailure(
        `--index ${printable(path)} cannot be read: ${printable(error instanceof Error ? error.message : String(error))}`,
      );
    }
  }
  return { indexes };
}

/** Set when the bundle is built: true only in a debug-api build. */
declare const NEGATO_DEBUG_API: boolean;

function refuseExposedDebugBuild({ listen, tunnel, debugBeyondLoopback }: Settings): void {
  if (debugBeyondLoopback) return;
  const reason =
    'this is a debug-api build, which accepts requests from every web page; if this is intended, add --debug-api-beyond-loopback';
  if (listen.kind === 'tcp' && isPublicHost(listen.host)) throw new UsageError(`--host ${listen.host}: ${reason}`);
  if (tunnel !== undefined) throw new UsageError(`--tunnel ${tunnel.host}: ${reason}`);
}

async function parseFilterOptions(texts: readonly string[]): Promise<readonly FileCriterion[]> {
  if (texts.length === 0) return [];
  const { parseFilters } = await import('../shared/fileFilter.ts');
  const parsed = parseFilters(texts);
  if (!parsed.ok) throw new UsageError(parsed.message);
  return parsed.filters;
}

/** One existing path is enough: the scan lists the others as unavailable. */
async function requireSomeInput(paths: readonly string[]): Promise<void> {
  for (const path of paths) if (await inputExists(path)) return;
  const [first = ''] = paths;
  throw new StartFailure(
    paths.length === 1
      ? `${printable(first)} does not exist`
      : `none of the ${paths.length} paths exist: ${printable(first)} ...`,
  );
}

async function requireCsvHeader(path: string): Promise<void> {
  const { checkCsvHeader } = await import('../server/work/annotations/csvHeader.ts');
  const checked = await checkCsvHeader(path);
  if (checked.ok) return;
  // The message quotes the file.
  const hidden = `${printable(path)}: the CSV could not be imported; negato without --mask says why`;
  throw new StartFailure(`--annotations ${isMasked() ? hidden : checked.message}`);
}

async function readLabels(path: string): Promise<LabelScheme> {
  const { readScheme } = await import('../server/work/marks/readScheme.ts');
  try {
    return await readScheme(path);
  } catch (error) {
    throw new StartFailure(`--labels ${printable(path)}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readHangingRules(path: string): Promise<readonly object[]> {
  const { readHanging } = await import('./readHanging.ts');
  try {
    return await readHanging(path);
  } catch (error) {
    throw new StartFailure(
      `--hanging ${printable(path)}: ${printable(error instanceof Error ? error.message : String(error))}`,
    );
  }
}
