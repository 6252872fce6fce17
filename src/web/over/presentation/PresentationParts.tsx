import { KeyImagesBadge } from './KeyImagesBadge.tsx';
import { PresentationBadge } from './PresentationBadge.tsx';

export { StateGraphics } from './StateGraphics.tsx';

/** What the page loads if there are presentation states or key object selections. */
/** What presentation states and key object selections say about the image of a cell. */
export function PresentationNotes({ cell }: { readonly cell: number }) {
  return (
    <>
      <PresentationBadge cell={cell} />
      <KeyImagesBadge cell={cell} />
    </>
  );
}
