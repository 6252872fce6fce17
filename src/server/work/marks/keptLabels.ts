import { ViewerError } from '../../../shared/contract/errors.ts';
import { type LabelClass, LabelScheme } from '../../../shared/contract/marks.ts';
import { parseBody } from '../../machine/workers/parseBody.ts';
import type { AnnotatedFiles } from '../journal/annotatedFiles.ts';
import { type EntityTag, entityTag, matchesEntityTag } from '../journal/entityTag.ts';
import type { Durability, KeptStore } from '../journal/keptStore.ts';
import { toRecordedFile } from '../journal/recordedFile.ts';
import { checkScheme } from './labels.ts';
import type { MarkJournalRecord } from './markFormat.ts';
import { FEW_VALUES, shape } from './parseMark.ts';

export type ReadScheme = { readonly scheme: LabelScheme; readonly etag: EntityTag };
export type ChangedScheme = ReadScheme & { readonly durability: Durability };

/** The classes that marks can have. */
export interface KeptLabels {
  readonly scheme: () => ReadScheme;
  /** Checks a body, and replaces all classes. */
  readonly replaceScheme: (
    body: Uint8Array,
    wish?: { readonly ifMatch?: string | undefined },
  ) => Promise<ChangedScheme>;
  readonly find: (key: string | null) => LabelClass | undefined;
  /** Whether all of these are in the scheme as they are. */
  readonly hasAll: (scheme: LabelScheme) => boolean;
  /** Grows with every change, from 0. */
  readonly revision: () => number;
  readonly set: (next: LabelScheme) => Promise<Durability>;
  /** The classes of this revision have been exported. */
  readonly release: (revision: number) => Promise<void>;
}

export type KeptLabelsOptions = {
  readonly files: AnnotatedFiles;
  readonly instance: string;
  readonly start: LabelScheme | undefined;
  readonly kept: KeptStore<MarkJournalRecord>;
  /** Called with the keys of classes that have other words, before they are written to the journal. */
  readonly onChange: (keys: ReadonlySet<string>) => void;
};

/** The number of the classes in the journal. Ids of marks begin at 1. */
const SCHEME_NUMBER = 0;

export function createKeptLabels({ files, instance, start, kept, onChange }: KeptLabelsOptions): KeptLabels {
  const startScheme: LabelScheme = start ?? { classes: [] };
  let scheme = startScheme;
  let revision = 0;
  const etag = () => entityTag(`${instance}-labels`, revision);

  const set = (next: LabelScheme): Promise<Durability> => {
    const [before, after] = [wordsOf(scheme), wordsOf(next)];
    scheme = next;
    revision += 1;
    onChange(new Set([...after.keys()].filter((key) => before.get(key) !== after.get(key))));
    return keep();
  };

  /** Until they are exported, unless they are those that this run was started with. */
  const keep = async (): Promise<Durability> => {
    const [first] = files.files;
    if (first === undefined) {
      void files.scanComplete.then(() => (files.files.length > 0 ? keep() : undefined));
      return 'memory';
    }
    const isAsStarted = JSON.stringify(scheme) === JSON.stringify(startScheme);
    const record = { scheme, modifiedAtMs: Date.now(), files: [toRecordedFile(first)] };
    return isAsStarted ? kept.remove(SCHEME_NUMBER) : kept.keep(SCHEME_NUMBER, record);
  };

  return {
    scheme: () => ({ scheme, etag: etag() }),
    async replaceScheme(body, { ifMatch } = {}) {
      const next = await shape(LabelScheme, parseBody(body, FEW_VALUES));
      checkScheme(next);
      kept.requireOpen();
      if (ifMatch !== undefined && !matchesEntityTag(ifMatch, etag())) {
        throw new ViewerError('stale_labels', `the classes have changed in the meantime: their ETag is ${etag()}`);
      }
      const keeping = set(next);
      return { scheme, etag: etag(), durability: await keeping };
    },
    find: (key) => (key === null ? undefined : scheme.classes.find((one) => one.key === key)),
    hasAll({ classes }) {
      const known = wordsOf(scheme);
      return classes.every((one) => known.get(one.key) === JSON.stringify(one));
    },
    revision: () => revision,
    set,
    async release(exported) {
      if (exported === revision) await kept.release([SCHEME_NUMBER]);
    },
  };
}

function wordsOf({ classes }: LabelScheme): ReadonlyMap<string, string> {
  return new Map(classes.map((one) => [one.key, JSON.stringify(one)]));
}
