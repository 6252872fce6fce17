import styles from './App.module.css';
import { NotShown } from './files/NotShown.tsx';
import { StatusLine } from './files/StatusLine.tsx';
import { Grid } from './shell/Grid.tsx';
import { useLibrary } from './state/library.ts';

export function App() {
  const summary = useLibrary((library) => library.summary);
  return (
    <div className={styles.page}>
      <Grid />
      {summary !== undefined && <NotShown summary={summary} />}
      <StatusLine summary={summary} />
    </div>
  );
}
