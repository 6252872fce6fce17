import { Suspense, useState } from 'react';
import { useLibrary } from '../kit/state/library.ts';
import { usePage } from '../kit/state/page.ts';
import { chunkComponentsOf } from './chunkComponents.ts';

/** The bar of a review. It stays when the server is restarted without one, because it may have decisions. */
export function ReviewPlace() {
  const { Review } = chunkComponentsOf(usePage());
  const isOn = useLibrary(({ summary }) => summary?.review !== undefined);
  const [wasOn, setWasOn] = useState(isOn);
  if (isOn && !wasOn) setWasOn(true);
  return <Suspense>{wasOn && <Review />}</Suspense>;
}
