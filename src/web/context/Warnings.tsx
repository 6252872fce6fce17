import { PanelMessage } from '../ui/PanelMessage.tsx';

export function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  return warnings.map((warning) => (
    <PanelMessage key={warning} tone="warning">
      {warning}
    </PanelMessage>
  ));
}
