import { useMemo } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { fetchReferencedBy } from '../../kit/api/references.ts';
import { useReport } from '../../show/pictures/viewports.ts';
import { useCells } from '../../kit/state/cells.ts';
import { findNamedFile } from '../../kit/state/fileNames.ts';
import { useFileAnswers } from '../layers/fileAnswers.ts';
import { findFile, useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { type KnownPresentation, presentationsOf } from '../../kit/state/presentations.ts';
import { untilComplete, useAnswer } from '../../kit/state/useAnswer.ts';
import { presentationAnswersOf } from './presentationAnswers.ts';

/** More states of one image are not offered. */
const MOST_STATES = 32;

const REFERRERS = untilComplete(fetchReferencedBy);

/**
 * The presentation states that name the frame on the screen of a cell, in the order of the list of files. Over a slide or
 * a plane, those that name an image of its series.
 */
export function useStatesOver(cell: number): readonly KnownPresentation[] {
  const image = useReport(cell, ({ shown }) => shown && (shown.file ?? shown.source.headerOf?.(shown.position)?.file));
  const isStored = useReport(cell, ({ shown, tiles }) => tiles === undefined && shown?.file !== undefined);
  const frame = useReport(cell, ({ shown }) => shown?.frame?.frame ?? 0);
  const ofFrame = useStatesOfFrame(isStored ? image : undefined, frame);
  const ofSeries = useStatesOfSeries(isStored ? undefined : image);
  return isStored ? ofFrame : ofSeries;
}

function useStatesOfFrame(image: FileRecord | undefined, frame: number): readonly KnownPresentation[] {
  const page = usePage();
  const mayHave = useLibrary(({ files }) => image !== undefined && files.some((file) => isStateOf(file, image)));
  const { value, fileIndex } = useAnswer(mayHave ? image?.index : undefined, REFERRERS);
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
  return useKnown(found);
}

/** A slide or a volume is made of many files, so its states are found among all those of the patient. */
function useStatesOfSeries(image: FileRecord | undefined): readonly KnownPresentation[] {
  const page = usePage();
  const candidates = useLibrary(
    useShallow(({ files }) =>
      (image === undefined ? [] : files.filter((file) => isStateOf(file, image)))
        .slice(0, MOST_STATES)
        .map(({ index }) => index),
    ),
  );
  const known = useKnown(candidates);
  return useMemo(
    () =>
      known.filter(({ images }) =>
        images.some(({ file_index }) => findFile(page, file_index)?.series_instance_uid === image?.series_instance_uid),
      ),
    [page, known, image],
  );
}

/** Requests what states say. */
function useKnown(indices: readonly number[]): readonly KnownPresentation[] {
  const page = usePage();
  useFileAnswers(presentationAnswersOf(page), indices);
  return useStore(
    presentationsOf(page),
    useShallow((all) => indices.flatMap((index) => all.get(index) ?? [])),
  );
}

/** A blending state may be in another study than one of its images. */
function isStateOf(file: FileRecord, image: FileRecord): boolean {
  if (file.object_kind !== 'presentation_state') return false;
  return file.study_instance_uid === image.study_instance_uid || file.patient_id === image.patient_id;
}

/** Requests what the state that is applied to a cell says, which a link may name before anything else does. */
export function useAppliedState(cell: number): KnownPresentation | undefined {
  const page = usePage();
  const name = useCells(({ cells }) => cells[cell]?.presentation?.name);
  const index = useLibrary(() => (name === undefined ? undefined : findNamedFile(page, name)?.index));
  useFileAnswers(
    presentationAnswersOf(page),
    useMemo(() => (index === undefined ? [] : [index]), [index]),
  );
  return useStore(presentationsOf(page), (all) => (index === undefined ? undefined : all.get(index)));
}
