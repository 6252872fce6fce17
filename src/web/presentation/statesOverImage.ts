import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../shared/contract/files.ts';
import type { ReferencedByResponse } from '../../shared/contract/references.ts';
import { fetchReferencedBy } from '../api/files.ts';
import { useReport } from '../pictures/viewports.ts';
import { useCells } from '../state/cells.ts';
import { findNamedFile } from '../state/fileNames.ts';
import { isScanComplete } from '../layers/fileAnswers.ts';
import { findFile, useLibrary } from '../state/library.ts';
import { usePage } from '../state/page.ts';
import { type KnownPresentation, presentationsOf } from '../state/presentations.ts';
import { useAnswer } from '../state/useAnswer.ts';
import { presentationAnswersOf } from './presentationAnswers.ts';

/** More states of one image are not offered. */
const MOST_STATES = 32;

const REFERRERS = {
  ask: fetchReferencedBy,
  isFinal: ({ complete }: ReferencedByResponse) => complete,
};

/** The presentation states that name the frame on the screen of a cell, in the order of the list of files. */
export function useStatesOver(cell: number): readonly KnownPresentation[] {
  const page = usePage();
  const image = useReport(cell, ({ shown, tiles }) => (tiles === undefined ? shown?.file : undefined));
  const frame = useReport(cell, ({ shown }) => shown?.frame?.frame ?? 0);
  const mayHave = useLibrary(({ files }) => image !== undefined && files.some((file) => isStateOf(file, image)));
  const { value, fileIndex } = useAnswer(mayHave ? image?.index : undefined, REFERRERS);
  const isComplete = useLibrary(() => isScanComplete(page));
  const found = useLibrary(
    useShallow(() => {
      if (value === undefined || image === undefined || fileIndex !== image.index) return [];
      const naming = value.referrers.filter(
        ({ frame_numbers }) => frame_numbers.length === 0 || frame_numbers.includes(frame + 1),
      );
      const states = naming.filter(
        ({ file_index }) => findFile(page, file_index)?.object_kind === 'presentation_state',
      );
      return [...new Set(states.map(({ file_index }) => file_index))].slice(0, MOST_STATES);
    }),
  );
  useEffect(() => {
    for (const index of found) void presentationAnswersOf(page).load(index, isComplete);
  }, [page, found, isComplete]);
  return useStore(
    presentationsOf(page),
    useShallow((all) => found.flatMap((index) => all.get(index) ?? [])),
  );
}

function isStateOf(file: FileRecord, image: FileRecord): boolean {
  return file.object_kind === 'presentation_state' && file.study_instance_uid === image.study_instance_uid;
}

/** Requests what the state that is applied to a cell says, which a link may name before anything else does. */
export function useAppliedState(cell: number): KnownPresentation | undefined {
  const page = usePage();
  const name = useCells(({ cells }) => cells[cell]?.presentation?.name);
  const index = useLibrary(() => (name === undefined ? undefined : findNamedFile(page, name)?.index));
  const isComplete = useLibrary(() => isScanComplete(page));
  useEffect(() => {
    if (index !== undefined) void presentationAnswersOf(page).load(index, isComplete);
  }, [page, index, isComplete]);
  return useStore(presentationsOf(page), (all) => (index === undefined ? undefined : all.get(index)));
}
