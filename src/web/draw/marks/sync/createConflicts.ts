import type { ContentBefore, Sync, SyncedKind } from './syncedKind.ts';
import type { SyncProgress } from './syncState.ts';

type Meet<Content> = {
  readonly isLocked?: boolean;
  /** What the page had in the run of the server before, if that is what the version meets. */
  readonly kept?: ContentBefore<Content>;
};

export interface Conflicts<Content, Stored> extends Pick<Sync<Content, Stored>, 'hear' | 'resume' | 'decide'> {
  /** The rule for conflicts: the server has this version, which may be of another client. */
  meet(key: string, theirs: Stored | undefined, how?: Meet<Content>): void;
}

export function createConflicts<Content, Stored>(
  kind: SyncedKind<Content, Stored>,
  state: SyncProgress<Content, Stored>,
  touch: (...keys: readonly string[]) => void,
): Conflicts<Content, Stored> {
  const { sent, isSame, isAsked, end } = state;
  const meet: Conflicts<Content, Stored>['meet'] = (key, theirs, { isLocked = false, kept } = {}) => {
    const known = kind.find(key);
    const shown = known?.mine;
    const { mine, base } = kept ?? { mine: shown, base: kind.contentOf(known?.stored) };
    const found = kind.contentOf(theirs);
    const bases = [base, ...(sent.get(key) ?? [])];
    kind.note(key, theirs);
    sent.delete(key);
    const show = (content: Content | undefined) => {
      if (!isSame(content, shown)) kind.show(new Map([[key, content]]));
    };
    if (isSame(mine, found)) show(found);
    else if (mine === undefined && isLocked) show(found);
    // Nobody else has changed it, or it is made again.
    else if (!isLocked && (found === undefined || bases.some((one) => isSame(one, found)))) show(mine);
    // Nothing was changed here. What was deleted here was changed elsewhere since, and stays.
    else if (mine === undefined || bases.every((one) => isSame(one, mine))) show(found);
    else {
      const merged = isLocked || found === undefined ? undefined : kind.merge({ bases, mine, theirs: found });
      if (merged !== undefined) show(merged);
      else if (kind.whenContradicting !== 'ask') {
        show(found);
        kind.whenContradicting(key, mine);
      } else if (theirs !== undefined) end(key, { kind: 'conflict', base, theirs });
    }
  };
  return {
    meet,

    hear(news) {
      const shown = new Map<string, Content | undefined>();
      const changed: string[] = [];
      for (const [key, theirs] of news) {
        const known = kind.find(key);
        const before = kind.contentOf(known?.stored);
        if (sent.has(key) || !isSame(known?.mine, before)) changed.push(key);
        else {
          kind.note(key, theirs);
          const found = kind.contentOf(theirs);
          if (!isSame(found, before)) shown.set(key, found);
        }
      }
      if (shown.size > 0) kind.show(shown);
      for (const key of changed) if (!isAsked(key)) meet(key, news.get(key));
      touch(...changed);
    },

    resume(key, kept) {
      const theirs = kind.find(key)?.stored;
      const found = kind.contentOf(theirs);
      const { mine, base } = kept;
      if (mine === base) return found === undefined ? 'ask' : 'met';
      if (found === undefined) {
        if (mine !== undefined) kind.show(new Map([[key, mine]]));
      } else meet(key, theirs, { kept });
      touch(key);
      return 'met';
    },

    decide(key) {
      if (!isAsked(key)) return;
      state.endQuestion(key);
      touch(key);
    },
  };
}
