import { asError } from '../../shared/asError.ts';
import { Component, type ReactNode, Suspense } from 'react';
import styles from './ChunkBoundary.module.css';

type Props = { readonly children: ReactNode };
type State = { readonly error: Error | undefined };

/** A part of the page whose code is loaded on demand. If loading fails, the rest of the page stays. */
export class ChunkBoundary extends Component<Props, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error: asError(error) };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return <Suspense>{this.props.children}</Suspense>;
    return (
      <p className={styles.failed} role="alert">
        This part of the page could not be loaded.{' '}
        <button type="button" onClick={() => location.reload()}>
          Reload page
        </button>
      </p>
    );
  }
}
