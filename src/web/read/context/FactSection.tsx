import type { ReactNode } from 'react';
import { PanelMessage } from '../../kit/ui/PanelMessage.tsx';
import styles from './ContextPanel.module.css';
import type { Fact } from './facts.ts';

type Props = { readonly title: string; readonly facts?: readonly Fact[]; readonly children?: ReactNode };

/** One section of the panel: names and values, and below them what does not fit on a line. */
export function FactSection({ title, facts = [], children }: Props) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '');
  return (
    <section className={styles.section} aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      {known.length > 0 && (
        <dl className={styles.facts}>
          {known.map(([name, value]) => (
            <div key={name} className={styles.fact}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {children}
    </section>
  );
}

export function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  return warnings.map((warning) => (
    <PanelMessage key={warning} tone="warning">
      {warning}
    </PanelMessage>
  ));
}
