import type { WireDocumentFact } from '../../../shared/contract/documents.ts';
import styles from './DocumentCell.module.css';

export function FactList({ facts }: { readonly facts: readonly WireDocumentFact[] }) {
  const sections = [...new Set(facts.map(({ section }) => section))];
  return sections.map((section) => (
    <section key={section} className={styles.section} aria-label={section}>
      <h2 className={styles.heading}>{section}</h2>
      <dl className={styles.facts}>
        {facts
          .filter((fact) => fact.section === section)
          .map(({ label, value, unit, tag_path }, at) => (
            <div key={`${tag_path ?? label} ${at}`} title={tag_path ?? undefined}>
              <dt>{label}</dt>
              <dd>
                {value}
                {unit !== null && ` ${unit}`}
              </dd>
            </div>
          ))}
      </dl>
    </section>
  ));
}
