import { usePage } from '../kit/state/page.ts';
import { setPanels } from '../kit/state/panels.ts';
import { KeySheet } from './KeySheet.tsx';
import { CommandPalette } from './CommandPalette.tsx';
import { SaveFilm } from './film/SaveFilm.tsx';
import { SaveLabels } from './SaveLabels.tsx';
import { SavePicture } from './SavePicture.tsx';

/** Dialogs over the page; their code is loaded when it is first needed. */
export function PageDialog({ kind }: { readonly kind: 'palette' | 'keys' | 'picture' | 'film' | 'labels' }) {
  const page = usePage();
  const close = () => setPanels(page, { dialog: undefined });
  switch (kind) {
    case 'palette':
      return <CommandPalette onClose={close} />;
    case 'keys':
      return <KeySheet onClose={close} />;
    case 'picture':
      return <SavePicture onClose={close} />;
    case 'film':
      return <SaveFilm onClose={close} />;
    case 'labels':
      return <SaveLabels onClose={close} />;
  }
}
