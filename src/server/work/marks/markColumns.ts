import type { WireRoiMark } from '../../../shared/contract/marks.ts';
import type { PeopleItem } from '../../images/tables/peopleColumn.ts';
import type { PeopleSource } from '../../images/tables/tables.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { filesOfMark } from './markContent.ts';
import type { MarkStore } from './marks.ts';

export type MarkColumnsContext = {
  readonly marks: Pick<MarkStore, 'revision' | 'select'>;
  /** The ROIs of the specification, and how often they have changed. */
  readonly rois: { readonly revision: () => number; readonly list: () => Promise<Iterable<WireRoiMark>> };
};

/** The columns of a table that say which files have marks, and of which classes. */
export function createMarkColumns({ marks, rois }: MarkColumnsContext): readonly PeopleSource[] {
  const listItems = async (): Promise<readonly PeopleItem[]> => {
    const { marks: all } = await marks.select({});
    return doInTurns(collect(all.map(({ content }) => content)), undefined);
  };
  return [
    {
      info: { name: 'marks', title: 'Number of marks', merge: 'count' },
      revision: () => marks.revision() + rois.revision(),
      async list() {
        const boxes = [...(await rois.list())].map((roi) => ({ files: [roi.file_index], text: null }));
        return [...(await listItems()), ...boxes];
      },
    },
    {
      info: { name: 'mark_classes', title: 'Classes of marks', merge: 'texts' },
      revision: marks.revision,
      list: listItems,
    },
  ];
}

type Content = Parameters<typeof filesOfMark>[0] & { readonly class: string | null };

/** A mask may name thousands of files. */
function* collect(contents: readonly Content[]): WorkInTurns<readonly PeopleItem[]> {
  const items: PeopleItem[] = [];
  for (const content of contents) {
    items.push({ files: filesOfMark(content), text: content.class });
    yield;
  }
  return items;
}
