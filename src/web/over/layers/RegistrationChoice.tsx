import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { RegistrationsResponse } from '../../../shared/contract/registrations.ts';
import { fetchRegistrations } from '../../kit/api/registrations.ts';
import { describeSeries } from '../../show/series/describeFile.ts';
import { hasRegistrations } from '../../kit/state/layers.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { preferredRegistrationsOf, setPreferredRegistrations } from '../../kit/state/registrationChoices.ts';
import { capitalize } from './describeLayers.ts';
import { isScanComplete } from './fileAnswers.ts';
import styles from './RegistrationChoice.module.css';

type Choice = RegistrationsResponse['choices'][number];

/** Registrations that put other images over these in different places: nothing is drawn until the user chooses one. */
export function RegistrationChoice({ image }: { readonly image: FileRecord }) {
  const page = usePage();
  const isWorthAsking = useLibrary(({ files }) => isScanComplete(page) && hasRegistrations(files));
  const { frame_of_reference_uid: space } = image;
  return isWorthAsking && space !== null ? <Choices space={space} /> : null;
}

function Choices({ space }: { readonly space: string }) {
  const page = usePage();
  const preferred = useStore(preferredRegistrationsOf(page), ({ files }) => files);
  const { choices, problem } = useChoices(space, preferred);
  return (
    <>
      {choices.map((choice) => (
        <Ways key={choice.frame_of_reference_uid} choice={choice} preferred={preferred} />
      ))}
      {problem !== null && <p className={styles.problem}>Registrations: {problem}.</p>}
    </>
  );
}

function Ways({ choice, preferred }: { readonly choice: Choice; readonly preferred: readonly number[] }) {
  const page = usePage();
  const { frame_of_reference_uid: uid, ways, has_more: hasMore } = choice;
  const names = useLibrary(
    useShallow(({ files }) => [
      ...new Set(
        files
          .filter(({ frame_of_reference_uid, has_pixels }) => frame_of_reference_uid === uid && has_pixels)
          .map((file) => `${file.modality} ${describeSeries(file)}`),
      ),
    ]),
  );
  const [first, ...others] = names;
  const what = first === undefined ? 'Objects' : others.length === 0 ? first : `${first} and ${others.length} more`;
  /** Marked at once; where layers lie is known a moment later. */
  const [picked, setPicked] = useState<string>();
  const prefer = (via: readonly number[]) => {
    setPicked(via.join());
    const alternatives = new Set(ways.flatMap(({ via_file_indices }) => via_file_indices));
    void setPreferredRegistrations(page, [...preferred.filter((index) => !alternatives.has(index)), ...via]);
  };
  const isOpen = picked === undefined && ways.every(({ is_chosen }) => !is_chosen);
  return (
    <fieldset className={styles.choice}>
      <legend>
        {what} can lie over these images in {hasMore ? 'more than ' : ''}
        {ways.length} ways
        {isOpen ? '. Nothing is drawn until you choose one.' : ':'}
      </legend>
      {ways.map(({ via_file_indices: via, reason, is_chosen }) => (
        <label key={via.join()}>
          <input
            type="radio"
            name={`registration ${uid}`}
            checked={picked === undefined ? is_chosen : picked === via.join()}
            onChange={() => prefer(via)}
          />
          {capitalize(reason)}
        </label>
      ))}
    </fieldset>
  );
}

type Found = Pick<RegistrationsResponse, 'choices' | 'problem'>;
const NONE: Found = { choices: [], problem: null };

/** Asked again after each decision; until the answer comes, the one before stays. */
function useChoices(space: string, preferred: readonly number[]): Found {
  const page = usePage();
  const [found, setFound] = useState(NONE);
  useEffect(() => {
    const controller = new AbortController();
    const ask = async () => {
      const answer = await fetchRegistrations(space, controller.signal);
      const { preferred_file_indices: known } = answer;
      setFound(answer);
      // Another page may have decided before.
      if (known.join() !== preferred.join()) preferredRegistrationsOf(page).setState({ files: known });
    };
    void ask().catch(() => undefined);
    return () => controller.abort();
  }, [page, space, preferred]);
  return found;
}
