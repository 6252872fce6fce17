import type { RtDoseContext } from '../../../shared/contract/semantics.ts';
import { PanelMessage } from '../../kit/ui/PanelMessage.tsx';
import { doseFacts, gridFacts } from './facts.ts';
import { FactSection } from './FactSection.tsx';
import { OverlayFact } from './OverlayFact.tsx';

export function DoseSection({ context }: { readonly context: RtDoseContext }) {
  return (
    <>
      <PanelMessage tone="warning">{sentence(context.clinical_use_warning)}</PanelMessage>
      <FactSection
        title="Dose"
        facts={[...doseFacts(context), ['Overlay on source', <OverlayFact key="overlay" overlay={context.overlay} />]]}
      />
      <FactSection title="Dose grid" facts={gridFacts(context.geometry)} />
    </>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
