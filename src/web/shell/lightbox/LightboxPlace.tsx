import { Suspense } from 'react';
import { usePage } from '../../kit/state/page.ts';
import { chunkComponentsOf } from '../chunkComponents.ts';
import { useLightbox } from './lightbox.ts';

/** Where the lightbox is when it is open. */
export function LightboxPlace() {
  const { Lightbox } = chunkComponentsOf(usePage());
  const isOpen = useLightbox(({ cell }) => cell !== undefined);
  return <Suspense>{isOpen && <Lightbox />}</Suspense>;
}
