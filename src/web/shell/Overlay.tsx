import { setPanels } from '../state/panels.ts';
import { KeySheet } from './KeySheet.tsx';
import { Palette } from './Palette.tsx';

const close = () => setPanels({ overlay: undefined });

/** What lies over the page; loaded when it is first asked for. */
export function Overlay({ kind }: { readonly kind: 'palette' | 'keys' }) {
  return kind === 'palette' ? <Palette onClose={close} /> : <KeySheet onClose={close} />;
}
